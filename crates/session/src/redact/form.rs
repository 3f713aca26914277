//! Secrets with more structure than a prefix, and secrets in the arguments of commands.
//!
//! To add a kind, add a row: its signs, and its pattern.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use super::value::is_stand_in;

/// Logging in to a container registry.
const LOGIN: &str = r#"[a-z]+ (?:registry )?login [^\n]*?(?:-p|--password)[ =]["']?([^\s"']{4,})"#;

/// A kind of secret with more structure than a prefix.
pub(super) struct Form {
    pub(super) kind: &'static str,
    /// Substrings that it must contain, ignoring case; the pattern is tried only where one of them occurs.
    pub(super) signs: &'static [&'static str],
    /// Number of bytes before the sign at which the match starts.
    back: usize,
    /// True if a letter or digit before it rules it out.
    is_alone: bool,
    /// Most bytes that the pattern is applied to.
    window: usize,
    /// The pattern. The secret is the first group, or the whole match if it has no group.
    pattern: &'static str,
    regex: OnceLock<Regex>,
}

/// Most bytes of a form, except the long ones.
const WINDOW: usize = 1024;

const fn form(kind: &'static str, signs: &'static [&'static str], pattern: &'static str) -> Form {
    Form { kind, signs, back: 0, is_alone: true, window: WINDOW, pattern, regex: OnceLock::new() }
}

fn long_form(kind: &'static str, signs: &'static [&'static str], pattern: &'static str) -> Form {
    Form { window: 16 * WINDOW, ..form(kind, signs, pattern) }
}

fn form_around(kind: &'static str, signs: &'static [&'static str], back: usize, pattern: &'static str) -> Form {
    Form { back, ..form(kind, signs, pattern) }
}

fn form_within(kind: &'static str, signs: &'static [&'static str], pattern: &'static str) -> Form {
    Form { is_alone: false, ..form(kind, signs, pattern) }
}

/// A UUID in the format of RFC 9562.
macro_rules! uuid {
    () => {
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    };
}

/// All forms. A pattern is compiled when one of its signs is first found.
pub(super) fn forms() -> Vec<Form> {
    [of_services(), of_no_service(), of_commands()].into_iter().flatten().collect()
}

/// Secrets issued by services, sorted roughly by name.
fn of_services() -> Vec<Form> {
    vec![
        form("amazon-mws-token", &["amzn.mws."], concat!(r"amzn\.mws\.", uuid!())),
        // Keys of Azure services have four letters that identify the service.
        form_around("azure-key", &["JQQJ"], 52, r"[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{26,28}(?:[A-Za-z0-9]{2}==)?"),
        form_around("azure-key", &["ACDb", "+ABa", "+ASt"], 76, r"[A-Za-z0-9+/]{86}=="),
        form_around("azure-key", &["AzFu"], 44, r"[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{6}=="),
        form_around("azure-key", &["AzSe", "+ACR"], 42, r"[A-Za-z0-9+/]{42}(?:AzSe|\+ACR)[A-Za-z0-9]{6}"),
        form_around(
            "azure-key",
            &["AzCa", "AIoT", "+ASb", "+AEh", "+ARm"],
            33,
            r"[A-Za-z0-9+/]{33}(?:AzCa|AIoT|\+ASb|\+AEh|\+ARm)[A-Za-z0-9+/]{6}=",
        ),
        form("asana-token", &["0/", "1/", "2/"], r"[0-2]/\d{15,17}(?:/\d{15,17})?:[a-z0-9]{32}"),
        form("clickup-token", &["pk_"], r"pk_\d{5,10}_[A-Z0-9]{32}"),
        form_around("deepl-key", &[":fx"], 36, concat!(uuid!(), ":fx")),
        form_around("firebase-key", &[":APA91b"], 11, r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,200}"),
        form("linkedin-secret", &["WPL_AP"], r"WPL_AP[01]\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/]{6}=="),
        form_around("new-relic-key", &["FFFFNRAL"], 32, r"[A-Za-z0-9]{32}FFFFNRAL"),
        form_around("rapidapi-key", &["msh"], 10, r"[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{6}jsn[0-9a-f]{12}"),
        form("slack-token", &["xoxd-"], r"xoxd-[A-Za-z0-9%+/=_-]{40,}"),
        form("telnyx-key", &["KEY"], r"KEY[0-9A-F]{32}_[A-Za-z0-9]{22}"),
        form("twitter-token", &["AAAAAAAAAAAAAAAAAAAAA"], r"A{21,}[A-Za-z0-9%]{60,}"),
        form("zoho-token", &["1000."], r"1000\.[a-f0-9]{32}\.[a-f0-9]{32}"),
        form(
            "1password-key",
            &["A3-"],
            r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b",
        ),
        form("airtable-token", &["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b"),
        form_around("azure-client-secret", &["Q~"], 4, r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
        form(
            "braintree-token",
            &["access_token$"],
            r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}\b",
        ),
        form(
            "authress-key",
            &["sc_", "ext_", "scauth_", "authress_"],
            r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        ),
        form("cloudflare-origin-key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b"),
        form(
            "discord-webhook",
            &["https://discord.com/api/webhooks/", "https://discordapp.com/api/webhooks/"],
            r"https://discord(?:app)?\.com/api/webhooks/\d{15,22}/[A-Za-z0-9_-]{40,100}",
        ),
        form_within(
            "gitlab-mail-token",
            &["incoming+"],
            r"incoming\+(?:[A-Za-z0-9._-]+-)?\d+-([A-Za-z0-9_-]{20,})-(?:issue|merge-request)",
        ),
        form("harness-key", &["pat.", "sat."], r"[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}\b"),
        form(
            "jetbrains-token",
            &["perm:", "perm-"],
            r"perm[:-][A-Za-z0-9+/_-]{8,}={0,2}\.[A-Za-z0-9+/_-]{2,}={0,2}\.[A-Za-z0-9]{16,}",
        ),
        // Signed or encrypted, and either of them encoded again in base64.
        long_form(
            "json-web-token",
            &["eyJ"],
            r"eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}|[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]{8,}){2})\.[A-Za-z0-9_-]{8,}",
        ),
        long_form("json-web-token", &["ZXlK"], r"ZXlK[A-Za-z0-9_-]{60,}={0,2}"),
        form("launchdarkly-key", &["sdk-", "api-", "mob-"], concat!("(?:sdk|api|mob)-", uuid!(), r"\b")),
        form_around("mailchimp-key", &["-us"], 32, r"[0-9a-f]{32}-us\d{1,2}\b"),
        form("mapbox-token", &["sk.eyJ", "tk.eyJ"], r"[st]k\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{10,}"),
        form_around("maxmind-key", &["_mmk"], 36, r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
        form("miro-token", &["eyJtaXJv"], r"eyJtaXJv[A-Za-z0-9-]{10,64}_[A-Za-z0-9_-]{20,64}"),
        form("okta-token", &["SSWS "], r"(?i)ssws\s+([A-Za-z0-9_-]{30,64})"),
        form("plaid-token", &["access-"], concat!("access-(?:sandbox|development|production)-", uuid!())),
        form("salesforce-token", &["00D"], r"00[A-Za-z0-9]{13}![A-Za-z0-9._-]{80,}"),
        form(
            "slack-webhook",
            &["https://hooks.slack.com/"],
            r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,}",
        ),
        form_within(
            "teams-webhook",
            &[".webhook.office.com/"],
            r"\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})",
        ),
        form_around("tableau-token", &["==:"], 22, r"[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}\b"),
        form_around("terraform-token", &[".atlasv1."], 14, r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}"),
        form("yandex-token", &["t1."], r"t1\.[A-Za-z0-9_-]{10,}={0,2}\.[A-Za-z0-9_-]{86}={0,2}"),
    ]
}

/// Secrets that are not tied to one service.
fn of_no_service() -> Vec<Form> {
    vec![
        form("password-hash", &["$2a$", "$2b$", "$2y$"], r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
        form("password-hash", &["$1$", "$5$", "$6$", "$y$", "$apr1$"], r"\$(?:1|5|6|y|apr1)\$[./A-Za-z0-9$=,]{25,}"),
        form("password-hash", &["$argon2", "pbkdf2_"], r"(?:\$argon2|pbkdf2_)[a-z0-9]{1,8}\$[./+A-Za-z0-9$=,]{40,}"),
        long_form("authorization", &["bearer "], r"(?i)bearer +([A-Za-z0-9._~+/-]{20,}=*)"),
        form_within("password-in-url", &["://"], r#"://[^\s:/@'"<>]*:([^\s/@'"<>]{3,})@"#),
        form_within("token-in-url", &["://"], r"://([A-Za-z0-9_.~-]{20,})@"),
        form("password", &["identified by "], r"(?i)identified by '([^'\n]{4,})'"),
        form("authorization", &["auth plain "], r"(?i)auth plain ([A-Za-z0-9+/]{12,}={0,2})"),
        form_within("cookie", &["\ttrue\t", "\tfalse\t"], r"(?i)\t(?:TRUE|FALSE)\t\d+\t[^\t\n]+\t(\S{8,})"),
    ]
}

/// Passwords and tokens in the arguments of commands.
fn of_commands() -> Vec<Form> {
    vec![
        form("password", &["curl "], r#"curl [^\n]*?(?:-u|-U|--user|--proxy-user)[ =]?["']?[^\s:"']*:([^\s"']{4,})"#),
        form("token", &["curl "], r#"curl [^\n]*?(?:-u|--user)[ =]?["']?([A-Za-z0-9_.-]{16,}):["'\s]"#),
        form("password", &["mysql"], r#"mysql(?:dump|admin|show|import)? [^\n]*?-p["']?([^\s"']{4,})"#),
        form("password", &["mariadb"], r#"mariadb(?:-dump|-admin)? [^\n]*?-p["']?([^\s"']{4,})"#),
        form("password", &["sshpass "], r#"sshpass -p ?["']?([^\s"']{4,})"#),
        form("password", &["docker login ", "podman login ", "helm registry login "], LOGIN),
        form("password", &["redis-cli "], r#"redis-cli [^\n]*?(?:-a|--pass) ["']?([^\s"']{4,})"#),
        form("password", &["ldapsearch ", "ldapadd ", "ldapmodify "], r#"ldap[a-z]+ [^\n]*?-w ["']?([^\s"']{4,})"#),
        form_within("password", &["zip -P "], r#"(?i)zip -P ["']?([^\s"']{4,})"#),
        form("password", &["net use "], r#"(?i)net use [^\n]*?\\\\\S+ ["']?([^\s"'/][^\s"']{3,})"#),
        form("password", &["wpa_passphrase "], r#"wpa_passphrase \S+ ["']?([^\s"']{8,})"#),
        form("password", &["echo "], r#"echo (?:-n )?["']?([^\s"'|]{4,})["']? ?\| ?sudo -S"#),
        form("password", &["echo "], r#"echo ["']?[^\s:"'|]+:([^\s"'|]{4,})["']? ?\| ?(?:sudo )?chpasswd"#),
        form("password", &["-passin pass:", "-passout pass:"], r#"-pass(?:in|out) pass:["']?([^\s"']{4,})"#),
        form("password", &["ConvertTo-SecureString "], r#"(?i)convertto-securestring [^\n]*?["']([^\n"']{4,})["']"#),
    ]
}

impl Form {
    /// The range of the secret of this kind that has a sign at `start`.
    pub(super) fn at(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let start = start.checked_sub(self.back).filter(|&start| text.is_char_boundary(start))?;
        if self.is_alone && text.as_bytes()[..start].last().is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        let regex = self.regex.get_or_init(|| Regex::new(self.pattern).expect("the patterns are tried by a test"));
        let window = &text[start..text.floor_char_boundary(start + self.window)];
        let mut captures = regex.create_captures();
        regex.search_captures(&Input::new(window).anchored(Anchored::Yes), &mut captures);
        let whole = captures.get_match()?;
        let secret = captures.get_group(1).map_or(whole.range(), |group| group.start..group.end);
        let is_part = secret != whole.range();
        (!is_part || !is_stand_in(&window[secret.clone()])).then_some(start + secret.start..start + secret.end)
    }
}
