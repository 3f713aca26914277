//! Peak private memory of `check` and of the program on a screen. Independent of what the memory holds.

use std::fs;

use anyhow::Result;

use crate::inputs::{LARGE, MEDIUM, Setting};
use crate::process;
use crate::reading::checks;
use crate::screen::View;
use crate::table::{Table, Unit, goal};

/// A transcript compared with its file, and a text that needs no per-item memory compared with a constant.
pub fn memory(setting: &Setting, table: &mut Table) -> Result<()> {
    let shapes = [
        ("transcript", LARGE, "1 GB"),
        ("longline", MEDIUM, "a line of 100 MB"),
        ("longline-marks", MEDIUM, "a line of 100 MB, full of marks"),
        ("neverends", MEDIUM, "an open block of 100 MB"),
        ("nomarks", MEDIUM, "prose of 100 MB"),
    ];
    for (shape, length, words) in shapes {
        let path = setting.file(shape, length)?;
        let size = fs::metadata(&path)?.len() as f64;
        let opened = || View::ours(setting, &[path.as_ref()]).settles();
        let peaks = [("check", process::peak(checks(setting, &path))), ("the screen", opened())];
        for (who, peak) in peaks {
            let what = format!("memory of {who}, {words}");
            let peak = peak.map(|bytes| bytes as f64);
            if length == LARGE {
                let against = peak
                    .as_ref()
                    .map_or_else(|_| "the file".into(), |peak| format!("the file, of which {:.0} MB", peak / 1e6));
                table.line(&what, &against, Unit::Percent, peak.map(|peak| peak / size * 100.0), goal(20.0, 6.0));
            } else {
                table.line(&what, "a constant", Unit::Megabytes, peak.map(|peak| peak / 1e6), goal(48.0, 24.0));
            }
        }
    }
    Ok(())
}
