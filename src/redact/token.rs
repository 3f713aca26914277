//! Secrets that are known by how they begin: what the services that issue them made recognisable.
//!
//! To add a kind, add a row: what it begins with, of which characters the rest is, and how many. What has more structure
//! than that is a [`Form`]. This module does not know what stands around a secret.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use super::value::{has_variety, is_stand_in};

/// Of which characters a token is behind its beginning.
#[derive(Clone, Copy, Debug)]
enum Letters {
    /// 0-9 a-f, in either case.
    Hex,
    /// A-Z a-z 0-9.
    Plain,
    /// Those, `_` and `-`.
    Word,
    /// Those, `.`, `/`, `+`, `~` and `=`.
    Base64,
}

use Letters::{Base64, Hex, Plain, Word};

impl Letters {
    fn has(self, byte: u8) -> bool {
        match self {
            Hex => byte.is_ascii_hexdigit(),
            Plain => byte.is_ascii_alphanumeric(),
            Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Base64 => byte.is_ascii_alphanumeric() || b"_-./+~=".contains(&byte),
        }
    }
}

/// A kind of secret by its beginning.
pub(super) struct Token {
    pub(super) kind: &'static str,
    /// Each in the case that it has; nothing else is tried.
    pub(super) begins: &'static [&'static str],
    letters: Letters,
    /// The least and the most characters behind the beginning. More than the most make it something else.
    least: usize,
    most: usize,
}

/// The most bytes of a secret.
const LONGEST: usize = 4096;

/// The fewest characters of which none need be a digit, where there may be more or fewer of them.
const SURELY: usize = 30;

const fn open(kind: &'static str, begins: &'static [&'static str], letters: Letters, least: usize) -> Token {
    Token { kind, begins, letters, least, most: LONGEST }
}

const fn exact(kind: &'static str, begins: &'static [&'static str], letters: Letters, len: usize) -> Token {
    Token { kind, begins, letters, least: len, most: len }
}

/// The kinds, by the name of who issues them.
pub(super) const TOKENS: &[Token] = &[
    open("1password-token", &["ops_eyJ"], Base64, 100),
    exact("adobe-secret", &["p8e-"], Plain, 32),
    exact("age-key", &["AGE-SECRET-KEY-1"], Plain, 58),
    open("aikido-token", &["AIK_CI_", "AIK_SECRET_"], Plain, 20),
    Token { kind: "alibaba-key", begins: &["LTAI"], letters: Plain, least: 12, most: 24 },
    open("anthropic-key", &["sk-ant-"], Word, 20),
    open("apify-token", &["apify_api_"], Plain, 30),
    Token { kind: "artifactory-token", begins: &["AKCp", "cmVmd"], letters: Plain, least: 55, most: 75 },
    open("asaas-token", &["$aact_prod_", "$aact_hmlg_"], Base64, 20),
    open("atlassian-token", &["ATAT", "ATCTT3"], Base64, 80),
    exact("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], Plain, 16),
    open("aws-bedrock-key", &["ABSK"], Base64, 100),
    open("aws-bedrock-key", &["bedrock-api-key-"], Base64, 30),
    exact("aws-access-key", &["A3T"], Plain, 17),
    exact("bitbucket-token", &["ATBB"], Plain, 32),
    open("bitbucket-token", &["BBDC-"], Base64, 32),
    Token { kind: "brave-key", begins: &["BSA"], letters: Word, least: 24, most: 40 },
    open("browserbase-key", &["bb_live_", "bb_test_"], Word, 20),
    open("buildkite-token", &["bkua_", "bkaa_", "bkaj_", "bkar_", "bkct_", "bkpt_", "bkpat_", "bkps_"], Word, 40),
    exact("canva-secret", &["cnvca"], Word, 51),
    open("cartesia-key", &["sk_car_"], Word, 20),
    Token { kind: "cerebras-key", begins: &["csk-"], letters: Plain, least: 40, most: 60 },
    open("circleci-token", &["CCIPAT_", "CCIPRJ_"], Word, 50),
    exact("clickhouse-key", &["4b1d"], Plain, 38),
    exact("clojars-token", &["CLOJARS_"], Plain, 60),
    exact("cloudflare-token", &["cfut_", "cfat_"], Plain, 48),
    exact("cloudsmith-key", &["csa_"], Plain, 36),
    open("cockroach-key", &["CCDB1_"], Word, 50),
    open("configcat-key", &["configcat-sdk-1/", "configcat-proxy/"], Base64, 40),
    open("contentful-token", &["CFPAT-"], Word, 40),
    exact("cursor-key", &["key_"], Hex, 64),
    exact("databricks-token", &["dapi"], Hex, 32),
    open("datastax-token", &["AstraCS:"], Base64, 20),
    exact("deno-token", &["ddp_", "ddo_"], Plain, 36),
    open("devcycle-key", &["dvc_server_", "dvc_mobile_", "dvc_client_"], Word, 8),
    open("devin-key", &["apk_user_", "apk_"], Base64, 80),
    exact("devin-token", &["cog_"], Plain, 52),
    exact("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Hex, 64),
    open("docker-token", &["dckr_pat_", "dckr_oat_"], Word, 20),
    open("docker-swarm-key", &["SWMTKN-1-", "SWMKEY-1-"], Base64, 40),
    open("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Base64, 40),
    open("dropbox-token", &["sl.B", "sl.u."], Base64, 100),
    exact("duffel-token", &["duffel_live_", "duffel_test_"], Base64, 43),
    open("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s16."], Base64, 80),
    exact("e2b-key", &["e2b_"], Hex, 40),
    exact("easypost-key", &["EZAK", "EZTK"], Plain, 54),
    open("elastic-key", &["essu_"], Base64, 40),
    exact("elevenlabs-key", &["sk_"], Hex, 48),
    Token { kind: "exoscale-key", begins: &["EXO"], letters: Plain, least: 24, most: 30 },
    open("facebook-token", &["EAAC", "EAAM", "EAAG", "EAAB"], Plain, 80),
    open("figma-token", &["figd_", "figu_", "figo_"], Word, 38),
    exact("firecrawl-key", &["fc-"], Hex, 32),
    Token { kind: "fireworks-key", begins: &["fw_"], letters: Plain, least: 22, most: 24 },
    open("flutterwave-key", &["FLWSECK_TEST-", "FLWSECK-"], Word, 12),
    open("fly-token", &["FlyV1 ", "fm1r_", "fm1a_", "fm2_", "fo1_"], Base64, 40),
    open("frameio-token", &["fio-u-"], Base64, 60),
    open("github-token", &["ghp_", "gho_", "ghu_", "ghr_"], Plain, 36),
    open("github-token", &["ghs_", "github_pat_"], Word, 22),
    open(
        "gitlab-token",
        &[
            "glpat-",
            "gldt-",
            "glrt-",
            "glptt-",
            "glcbt-",
            "glft-",
            "glffct-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "GR1348941",
        ],
        Base64,
        20,
    ),
    exact("google-key", &["AIza"], Word, 35),
    open("google-key", &["AQ.Ab8"], Word, 40),
    open("google-token", &["ya29.", "1//0"], Base64, 20),
    exact("google-oauth-secret", &["GOCSPX-"], Word, 28),
    open("grafana-token", &["glsa_", "glc_", "eyJrIjoi"], Base64, 40),
    Token { kind: "groq-key", begins: &["gsk_"], letters: Plain, least: 40, most: 60 },
    open("heroku-key", &["HRKU-"], Word, 30),
    open("hubspot-token", &["pat-na1-", "pat-na2-", "pat-eu1-"], Word, 30),
    Token { kind: "hugging-face-token", begins: &["hf_", "api_org_"], letters: Plain, least: 30, most: 40 },
    exact("infracost-key", &["ico-"], Plain, 32),
    open("intra42-secret", &["s-s4t2ud-", "s-s4t2af-"], Hex, 64),
    open("intercom-token", &["dG9rO"], Base64, 40),
    exact("ionic-token", &["ion_"], Plain, 42),
    open("jina-key", &["jina_"], Word, 40),
    open("langfuse-key", &["sk-lf-"], Word, 30),
    open("langsmith-key", &["lsv2_pt_", "lsv2_sk_", "ls__"], Word, 30),
    exact("labelbox-key", &["lbx_", "rma_"], Word, 43),
    open("lichess-token", &["lip_"], Word, 16),
    open("linear-key", &["lin_api_", "lin_oauth_", "lin_wh_"], Plain, 32),
    open("llama-cloud-key", &["llx-"], Plain, 40),
    open("logfire-token", &["pylf_v1_"], Word, 30),
    exact("mailgun-key", &["key-"], Hex, 32),
    open("mailersend-token", &["mlsn."], Plain, 30),
    open("mercury-token", &["mercury_production_", "mercury_sandbox_"], Word, 30),
    open("mergify-key", &["mergify_application_key_"], Word, 40),
    open("mongodb-secret", &["mdb_sa_sk_"], Word, 40),
    open("neon-key", &["napi_"], Plain, 40),
    open("netlify-token", &["nfp_", "nfo_", "nfc_", "nfu_", "nfb_"], Plain, 36),
    open("new-relic-key", &["NRAK-", "NRJS-", "NRII-", "NRAA-", "NRSP-"], Word, 19),
    open("notion-token", &["ntn_"], Plain, 40),
    exact("notion-token", &["secret_"], Plain, 43),
    exact("npm-token", &["npm_"], Plain, 36),
    exact("nuget-key", &["oy2"], Plain, 43),
    open("nvidia-key", &["nvapi-"], Word, 40),
    exact("nylas-key", &["nyk_"], Plain, 67),
    Token { kind: "octopus-key", begins: &["API-"], letters: Plain, least: 25, most: 26 },
    open("onesignal-key", &["os_v2_app_", "os_v2_org_"], Plain, 90),
    open("onfido-token", &["api_live.", "api_live_ca.", "api_live_us.", "api_sandbox."], Word, 20),
    open("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], Word, 20),
    open("openrouter-key", &["sk-or-v1-", "sk-or-v2-"], Word, 20),
    exact("openshift-token", &["sha256~"], Word, 43),
    open("packagist-token", &["packagist_ort_", "packagist_out_", "packagist_acs_", "packagist_ack_"], Hex, 28),
    open("paddle-key", &["pdl_live_apikey_", "pdl_sdbx_apikey_"], Word, 40),
    open("perplexity-key", &["pplx-"], Plain, 40),
    open("persona-key", &["persona_production_", "persona_sandbox_"], Word, 20),
    open("pinecone-key", &["pcsk_"], Word, 50),
    open("pinterest-token", &["pina_"], Word, 20),
    open("planetscale-token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], Base64, 32),
    open("polar-token", &["polar_at_", "polar_oat_", "polar_pat_"], Word, 20),
    open("posthog-key", &["phx_"], Word, 40),
    open("postman-key", &["PMAK-", "PMAT-"], Word, 26),
    exact("prefect-token", &["pnu_", "pnb_"], Plain, 36),
    // A private key of RSA without its first line, and one of OpenSSH.
    open(
        "private-key",
        &["MIIEpAIBAAK", "MIIEowIBAAK", "MIIEvQIBADANBgkq", "MIIEvgIBADANBgkq", "b3BlbnNzaC1rZXkt"],
        Base64,
        100,
    ),
    open("proof-key", &["prf_"], Word, 30),
    exact("pulumi-token", &["pul-"], Hex, 40),
    open("pypi-token", &["pypi-"], Word, 50),
    exact("ramp-secret", &["ramp_sec_"], Plain, 48),
    exact("razorpay-key", &["rzp_live_", "rzp_test_"], Plain, 14),
    exact("readme-key", &["rdme_"], Plain, 70),
    exact("render-key", &["rnd_"], Plain, 28),
    exact("replicate-token", &["r8_"], Plain, 37),
    exact("resend-key", &["re_"], Word, 33),
    exact("rootly-key", &["rootly_"], Hex, 64),
    exact("rubygems-key", &["rubygems_"], Hex, 48),
    Token { kind: "runpod-key", begins: &["rpa_"], letters: Plain, least: 30, most: 46 },
    open("samsara-token", &["samsara_api_"], Plain, 26),
    exact("scalingo-token", &["tk-us-"], Word, 48),
    open("sendgrid-key", &["SG."], Base64, 60),
    open("brevo-key", &["xkeysib-", "xsmtpsib-"], Word, 64),
    open("sentry-token", &["sntrys_", "sntryu_", "sntryi_"], Base64, 60),
    exact("settlemint-token", &["sm_aat_", "sm_pat_", "sm_sat_"], Plain, 16),
    exact("shippo-token", &["shippo_live_", "shippo_test_"], Hex, 40),
    exact("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], Hex, 32),
    open("slack-token", &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], Base64, 10),
    open("slack-token", &["xoxe.xoxb-", "xoxe.xoxp-", "xapp-"], Word, 20),
    open("snyk-token", &["snyk_uat.", "snyk_sat."], Base64, 20),
    exact("sonar-token", &["squ_", "sqp_", "sqa_"], Hex, 40),
    open("sourcegraph-token", &["sgp_", "slk_"], Word, 40),
    open("square-token", &["sq0atp-", "sq0csp-", "sq0idp-"], Word, 22),
    Token { kind: "square-token", begins: &["EAAA"], letters: Word, least: 22, most: 64 },
    open("stripe-key", &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "sk_org_"], Plain, 10),
    open("stripe-webhook-secret", &["whsec_"], Base64, 20),
    open("supabase-key", &["sbp_", "sb_secret_"], Word, 31),
    open("tailscale-key", &["tskey-"], Word, 20),
    open("tavily-key", &["tvly-"], Word, 20),
    open("thunderstore-token", &["tss_"], Word, 20),
    open("together-key", &["tgp_v1_"], Word, 40),
    exact("twilio-key", &["SK"], Hex, 32),
    exact("twitch-token", &["oauth:"], Plain, 30),
    open("typeform-token", &["tfp_"], Base64, 40),
    open("unkey-key", &["unkey_"], Plain, 20),
    open("upcloud-token", &["ucat_"], Plain, 24),
    open("val-town-token", &["vtwn_"], Word, 20),
    Token { kind: "vault-token", begins: &["s."], letters: Plain, least: 24, most: 25 },
    open("vault-token", &["hvs.", "hvb.", "hvr."], Word, 20),
    exact("vercel-token", &["vck_", "vca_", "vcr_", "vci_", "vcp_"], Word, 56),
    exact("voyage-key", &["pa-", "al-"], Word, 43),
    open("wakatime-key", &["waka_"], Word, 36),
    open("wandb-key", &["wandb_v1_"], Word, 60),
    open("workato-token", &["wrka"], Base64, 80),
    open("xai-key", &["xai-"], Word, 60),
    open("xendit-key", &["xnd_production_", "xnd_development_"], Plain, 40),
    open("yandex-token", &["AQVN", "YCAJE", "YCP"], Word, 35),
    open("yandex-token", &["y0_AgAAAA", "y0__"], Word, 40),
    open("zuplo-key", &["zpka_"], Word, 36),
    // The oldest form of OpenAI's, which others took over.
    open("api-key", &["sk-"], Word, 20),
];

impl Token {
    /// The secret of this kind that begins at `start`, where its beginning was found in some case.
    pub(super) fn at(&self, text: &str, begin: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let is_exact = self.begins.contains(&&text[begin.clone()]);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !is_exact || bytes[..begin.start].last().is_some_and(is_part) {
            return None;
        }
        let rest = &bytes[begin.end..];
        let len = rest.iter().take(self.most + 1).take_while(|&&byte| self.letters.has(byte)).count();
        // What ends a sentence is no part of it.
        let ended =
            rest[self.least.min(len)..len].iter().rev().take_while(|&&byte| matches!(byte, b'.' | b'/' | b'-')).count();
        let body = &text[begin.end..begin.end + len - ended];
        let is_long = (self.least..=self.most).contains(&body.len());
        let has_digit = body.bytes().any(|byte| byte.is_ascii_digit());
        let is_exact_len = self.least == self.most;
        // A word goes on where the kind's own characters end.
        let goes_on = ended == 0 && rest.get(len).is_some_and(u8::is_ascii_alphanumeric);
        let is_one = is_long && has_variety(body) && (has_digit || is_exact_len || body.len() >= SURELY) && !goes_on;
        is_one.then_some(begin.start..begin.end + body.len())
    }
}

/// A kind of secret that has more structure than a beginning.
pub(super) struct Form {
    pub(super) kind: &'static str,
    /// What is in it, in any case; nothing else is tried.
    pub(super) signs: &'static [&'static str],
    /// How many bytes in front of that it begins.
    back: usize,
    /// Whether a letter or digit in front makes it something else.
    is_alone: bool,
    /// The most bytes that it is looked for in.
    window: usize,
    /// What must stand there. The secret is the first group, or the whole where there is none.
    pattern: &'static str,
    regex: OnceLock<Regex>,
}

/// The most bytes of a form, but for the longest ones.
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

/// An identifier as RFC 9562 writes it.
macro_rules! uuid {
    () => {
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    };
}

/// The kinds, by the name of who issues them. Their patterns are compiled when one of their signs is found.
pub(super) fn forms() -> Vec<Form> {
    vec![
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
        // Signed or encrypted, and either of them in base64 once more.
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
        form_within("telegram-token", &[":AA"], r":(AA[A-Za-z0-9_-]{33})\b"),
        form("yandex-token", &["t1."], r"t1\.[A-Za-z0-9_-]{10,}={0,2}\.[A-Za-z0-9_-]{86}={0,2}"),
        // Those that no single service issues.
        form("password-hash", &["$2a$", "$2b$", "$2y$"], r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
        form("password-hash", &["$5$", "$6$", "$y$", "$argon2"], r"\$(?:5|6|y|argon2id?)\$[./A-Za-z0-9$=,]{30,}"),
        long_form("authorization", &["bearer "], r"(?i)bearer +([A-Za-z0-9._~+/-]{20,}=*)"),
        form_within("password-in-url", &["://"], r#"://[^\s:/@'"<>]*:([^\s/@'"<>]{3,})@"#),
        form_within("token-in-url", &["://"], r"://([A-Za-z0-9_.~-]{20,})@"),
        // The user of curl, and the password of a client of MySQL.
        form("password", &["curl "], r#"curl [^\n]*?(?:-u|--user)[ =]?["']?[^\s:"']*:([^\s"']{4,})"#),
        form(
            "password",
            &["mysql", "mariadb"],
            r#"(?:mysql|mysqldump|mysqladmin|mariadb) [^\n]*?-p["']?([^\s"']{4,})"#,
        ),
        form("password", &["sshpass "], r#"sshpass -p ?["']?([^\s"']{4,})"#),
        form("password", &["identified by "], r"(?i)identified by '([^'\n]{4,})'"),
    ]
}

impl Form {
    /// The secret of this kind that has a sign at `start`.
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
