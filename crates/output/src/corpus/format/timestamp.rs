//! Timestamps in text formats: RFC 3339 in UTC, with milliseconds.

use std::io;

use jiff::Timestamp;
use jiff::fmt::StdIoWrite;
use jiff::fmt::temporal::DateTimePrinter;

const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// Writes a timestamp in milliseconds since 1970. One beyond the year 9999 is an error.
pub(super) fn write(moment: i64, out: &mut Vec<u8>) -> io::Result<()> {
    let refuse = |error: jiff::Error| io::Error::new(io::ErrorKind::InvalidInput, error);
    let moment = Timestamp::from_millisecond(moment).map_err(refuse)?;
    PRINTER.print_timestamp(&moment, StdIoWrite(out)).map_err(refuse)
}
