//! Network addresses that identify a machine: IPv6 (RFC 4291) and MAC addresses, in one scan for their separators.
//!
//! Addresses that everyone has stay: of loopback, documentation, multicast and public resolvers.

use std::net::Ipv6Addr;
use std::ops::Range;

use super::privacy::Private;
use crate::text::steps;

/// Most characters of an IPv6 address: with an IPv4 address in its last groups.
const LONGEST: usize = 45;

/// Public resolvers of Google, Cloudflare, Quad9 and OpenDNS, by the first groups of their addresses.
const RESOLVERS: &[[u16; 3]] =
    &[[0x2001, 0x4860, 0x4860], [0x2606, 0x4700, 0x4700], [0x2620, 0x00fe, 0], [0x2620, 0x0119, 0x0035]];

/// The network in which machines of Amazon reach the service that describes them.
const METADATA: [u16; 2] = [0xfd00, 0x0ec2];

/// MAC addresses in examples, as digits: rows of digits, and the range of RFC 7042.
const EXAMPLES: &[&str] = &[
    "001122334455",
    "00112233445566",
    "aabbccddeeff",
    "0123456789ab",
    "123456789abc",
    "1234567890ab",
    "deadbeef",
    "cafebabe",
    "a1b2c3d4e5f6",
    "00005e0053",
    "112233445566",
    "1a2b3c4d5e6f",
    "ffffffffffff",
    "001a2b3c4d5e",
];

/// Calls `found` with each address in a text.
pub(super) fn find(text: &str, found: &mut dyn FnMut(Private, Range<usize>)) {
    let bytes = text.as_bytes();
    let mut reached = 0;
    steps::add_bytes(bytes.len());
    for at in memchr::memchr3_iter(b':', b'-', b'.', bytes) {
        if at < reached {
            continue;
        }
        match bytes[at] {
            b':' => {
                let [before, after] = [at.checked_sub(1), Some(at + 1)].map(|at| bytes.get(at?));
                let is_part = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b':';
                if !after.is_some_and(is_part) || (after != Some(&b':') && !before.is_some_and(is_part)) {
                    continue;
                }
                let run = run_around(bytes, at);
                reached = run.end;
                if let Some(address) = ipv6(text, &run) {
                    found(Private::Host, address);
                } else if let Some(mac) = mac(text, run.start, b':', 2).filter(|mac| *mac == run) {
                    found(Private::Mac, mac);
                }
            }
            // The first separator of an address.
            separator => {
                let width = if separator == b'-' { 2 } else { 4 };
                if bytes.get(at + width + 1) == Some(&separator)
                    && let Some(mac) = at.checked_sub(width).and_then(|start| mac(text, start, separator, width))
                {
                    reached = mac.end;
                    found(Private::Mac, mac);
                }
            }
        }
    }
}

/// The hexadecimal digits, colons and dots around a colon.
fn run_around(bytes: &[u8], at: usize) -> Range<usize> {
    let is_part = |byte: &&u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    steps::add(1);
    let before = bytes[at.saturating_sub(LONGEST)..at].iter().rev().take_while(is_part).count();
    let after = bytes[at..].iter().take(LONGEST).take_while(is_part).count();
    at - before..at + after
}

/// The address that a run is, without punctuation at its end.
fn ipv6(text: &str, run: &Range<usize>) -> Option<Range<usize>> {
    let words = text[run.clone()].trim_end_matches('.');
    let words = if words.ends_with("::") { words } else { words.trim_end_matches(':') };
    let range = run.start..run.start + words.len();
    // A path of names in code (`fd::add`) has no digits.
    let groups = words.split(':').filter(|group| !group.is_empty());
    let is_likely = groups.clone().count() >= 2
        && words.contains(|c: char| c.is_ascii_digit())
        && groups.clone().any(|group| group.len() >= 3);
    let around = [text.as_bytes()[..range.start].last(), text.as_bytes().get(range.end)];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.');
    let is_apart = !around[0].is_some_and(is_part)
        && !around[1].is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let address: Ipv6Addr = if is_likely && is_apart { words.parse().ok()? } else { return None };
    let groups = address.segments();
    let is_local = groups[0] & 0xfe00 == 0xfc00 && groups[..2] != METADATA;
    // Many routers have a short number, as in `fe80::1`.
    let is_on_link = groups[0] & 0xffc0 == 0xfe80 && groups[4..7].iter().any(|group| *group != 0);
    // A range that registries have allocated, without the tunnels of RFC 3056 and RFC 4380.
    let is_public = (0x2001..0x3000).contains(&groups[0])
        && groups[0] != 0x2002
        && groups[1] != 0
        && groups[..2] != [0x2001, 0x0db8]
        && !RESOLVERS.iter().any(|begin| groups[..3] == begin[..]);
    // Of a network, the machine is not given.
    let is_network = groups[4..].iter().all(|group| *group == 0);
    ((is_local || is_on_link || is_public) && !is_network).then_some(range)
}

/// The MAC address that begins at `start`: groups of `width` digits.
fn mac(text: &str, start: usize, separator: u8, width: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let end = start + 12 + 12 / width - 1;
    let words = bytes.get(start..end)?;
    let is_one = words
        .iter()
        .enumerate()
        .all(|(at, byte)| if at % (width + 1) == width { *byte == separator } else { byte.is_ascii_hexdigit() });
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins =
        start.checked_sub(1).map(|before| bytes[before]).is_some_and(|byte| is_part(byte) || byte == separator);
    let rest = bytes[end..].strip_prefix(&[separator]).unwrap_or(&bytes[end..]);
    let goes_on = rest.first().is_some_and(|&byte| is_part(byte));
    let is_apart = !begins && !goes_on;
    if !is_one || !is_apart {
        return None;
    }
    let digits: String = words.iter().filter(|byte| **byte != separator).map(|&byte| char::from(byte)).collect();
    let small = digits.to_ascii_lowercase();
    let different = small.bytes().collect::<std::collections::BTreeSet<u8>>().len();
    let is_multicast = small.starts_with("01005e") || small.starts_with("3333");
    let has_letter = small.contains(|c: char| c.is_ascii_lowercase());
    let is_example = is_multicast || different < 4 || EXAMPLES.iter().any(|begin| small.starts_with(begin));
    (has_letter && !is_example).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> String {
        let mut words = Vec::new();
        find(text, &mut |what, range| words.push(format!("{} {}", what.into_str(), &text[range])));
        words.join(", ")
    }

    #[test]
    fn addresses_of_machines_are_found() {
        for (text, expected) in [
            ("ping fe80::1c2a:3bff:fe4d:5e6f%eth0", "host fe80::1c2a:3bff:fe4d:5e6f"),
            ("http://[fd12:3456:789a:1::7]:8080/x", "host fd12:3456:789a:1::7"),
            ("from 2a02:8109:9a40:1b2c:d4e5:66ff:fe77:8899, port 22", "host 2a02:8109:9a40:1b2c:d4e5:66ff:fe77:8899"),
            ("2A02:8109:9A40::17.", "host 2A02:8109:9A40::17"),
            ("inet6 fd00:abcd:0:12::3/64", "host fd00:abcd:0:12::3"),
            ("ether 3c:22:fb:9a:01:d7 txqueuelen", "mac 3c:22:fb:9a:01:d7"),
            ("Physical Address: 3C-22-FB-9A-01-D7", "mac 3C-22-FB-9A-01-D7"),
            ("dynamic 3c22.fb9a.01d7 Gi1/0/3", "mac 3c22.fb9a.01d7"),
        ] {
            assert_eq!(all(text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_that_everyone_has_stay() {
        for text in [
            "::1 :: fe80:: fe80::1 fd00:ec2::254 2001::cafe 2a02:8109:9a40:1b2c:: 2001:db8::17 3fff:a::1 ff02::1:ff00:17 2001:4860:4860::8888 [::]:80 2620:fe::fe",
            "12:34:56 std::fs de::Error fd::add ab::cd:ef a:b:c:d:e:f:0:1 2026-11-27T18:20:05 1::2",
            "00:11:22:33:44:55 aa:bb:cc:dd:ee:ff 00:00:00:00:00:00 01:00:5e:7f:ff:fa 33:33:00:00:00:fb 00:00:5e:00:53:a7",
            "12-34-56-78-90-12 2026-11-27-18-20-05 3c:22:fb:9a:01:d7:8e 1234.5678.9012 9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364",
            "SHA256:3c:22:fb:9a:01:d7:8e:55:20:11:aa:bb:cc:dd:ee:99",
        ] {
            assert_eq!(all(text), "", "{text}");
        }
    }
}
