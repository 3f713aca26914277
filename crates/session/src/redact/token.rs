//! Secrets recognised by the prefix that their issuer gave them.
//!
//! To add a kind, add a row: its prefixes, the characters after them, and how many. A secret with more structure is a
//! form (`form`).

use std::ops::Range;

use super::random::{has_variety, is_identifier, is_random};

/// The characters of a token after its prefix.
#[derive(Clone, Copy, Debug)]
enum Letters {
    /// 0-9 a-f, in either case.
    Hex,
    /// A-Z a-z 0-9.
    Plain,
    /// `Plain`, `_` and `-`.
    Word,
    /// `Word`, `.`, `/`, `+`, `~` and `=`.
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

/// A kind of secret with a known prefix.
pub(super) struct Token {
    pub(super) kind: &'static str,
    /// The prefixes, which are case-sensitive.
    pub(super) begins: &'static [&'static str],
    letters: Letters,
    /// The range of characters after the prefix. With more it is not this kind of token.
    least: usize,
    most: usize,
}

/// Example keys in the documentation of Amazon.
const EXAMPLES: &[&str] = &["IOSFODNN7EXAMPLE", "I44QH8DHBEXAMPLE"];

/// Most bytes of a secret.
const LONGEST: usize = 4096;

/// Fewest characters of a token that needs no digit, if its length is not fixed.
const SURELY: usize = 30;

const fn open(kind: &'static str, begins: &'static [&'static str], letters: Letters, least: usize) -> Token {
    Token { kind, begins, letters, least, most: LONGEST }
}

const fn exact(kind: &'static str, begins: &'static [&'static str], letters: Letters, len: usize) -> Token {
    Token { kind, begins, letters, least: len, most: len }
}

/// The kinds, by issuer.
pub(super) const TOKENS: &[Token] = &[
    open("1password-token", &["ops_eyJ"], Base64, 100),
    exact("adafruit-key", &["aio_"], Plain, 28),
    exact("adobe-secret", &["p8e-"], Word, 32),
    exact("age-key", &["AGE-SECRET-KEY-1"], Plain, 58),
    open("aikido-token", &["AIK_CI_", "AIK_SECRET_"], Plain, 20),
    exact("aiven-password", &["AVNS_"], Word, 19),
    Token { kind: "alibaba-key", begins: &["LTAI"], letters: Plain, least: 12, most: 24 },
    open("amazon-oauth-secret", &["amzn1.oa2-cs.v1."], Hex, 64),
    open("anthropic-key", &["sk-ant-"], Word, 20),
    open("apify-token", &["apify_api_"], Plain, 30),
    Token { kind: "artifactory-token", begins: &["AKCp", "cmVmd"], letters: Plain, least: 55, most: 75 },
    open("asaas-token", &["$aact_prod_", "$aact_hmlg_"], Base64, 20),
    open("atlassian-token", &["ATAT", "ATCTT3"], Base64, 80),
    exact("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], Plain, 16),
    open("aws-bedrock-key", &["ABSK"], Base64, 100),
    open("aws-bedrock-key", &["bedrock-api-key-"], Base64, 30),
    exact("aws-access-key", &["A3T"], Plain, 17),
    exact("aws-appsync-key", &["da2-"], Plain, 26),
    exact("bitbucket-token", &["ATBB"], Plain, 32),
    open("bitbucket-token", &["BBDC-"], Base64, 32),
    Token { kind: "brave-key", begins: &["BSA"], letters: Word, least: 24, most: 40 },
    open("browserbase-key", &["bb_live_", "bb_test_"], Word, 20),
    open("buildkite-token", &["bkua_", "bkaa_", "bkaj_", "bkar_", "bkct_", "bkpt_", "bkpat_", "bkps_"], Word, 40),
    exact("cal-com-key", &["cal_live_"], Hex, 32),
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
    exact("crates-io-token", &["cio"], Plain, 32),
    exact("cursor-key", &["key_"], Hex, 64),
    exact("databricks-token", &["dapi"], Hex, 32),
    open("datastax-token", &["AstraCS:"], Base64, 20),
    open("defined-networking-token", &["dnkey-"], Word, 60),
    exact("deno-token", &["ddp_", "ddo_"], Plain, 36),
    open("devcycle-key", &["dvc_server_", "dvc_mobile_", "dvc_client_"], Word, 8),
    open("devin-key", &["apk_user_", "apk_"], Base64, 80),
    exact("devin-token", &["cog_"], Plain, 52),
    exact("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Hex, 64),
    exact("digitalocean-key", &["DO00"], Plain, 16),
    open("docker-token", &["dckr_pat_", "dckr_oat_"], Word, 20),
    open("docker-swarm-key", &["SWMTKN-1-", "SWMKEY-1-"], Base64, 40),
    open("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Base64, 40),
    open("dropbox-token", &["sl.B", "sl.u."], Base64, 100),
    open("dropbox-token", &["sl."], Word, 130),
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
    exact("honeycomb-key", &["hcaik_", "hcbik_", "hccik_", "hcalk_", "hcblk_", "hcamk_"], Plain, 58),
    open("hubspot-token", &["pat-na1-", "pat-na2-", "pat-eu1-"], Word, 30),
    Token { kind: "hugging-face-token", begins: &["hf_", "api_org_"], letters: Plain, least: 30, most: 40 },
    exact("infracost-key", &["ico-"], Plain, 32),
    open("intra42-secret", &["s-s4t2ud-", "s-s4t2af-"], Hex, 64),
    open("instagram-token", &["IGQ"], Word, 100),
    open("intercom-token", &["dG9rO"], Base64, 40),
    exact("ionic-token", &["ion_"], Plain, 42),
    open("jina-key", &["jina_"], Word, 40),
    exact("klaviyo-key", &["pk_"], Hex, 34),
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
    exact("midtrans-key", &["Mid-server-"], Word, 24),
    open("mongodb-secret", &["mdb_sa_sk_"], Word, 40),
    open("neon-key", &["napi_"], Plain, 40),
    open("netlify-token", &["nfp_", "nfo_", "nfc_", "nfu_", "nfb_"], Plain, 36),
    open("new-relic-key", &["NRAK-", "NRJS-", "NRII-", "NRAA-", "NRSP-"], Word, 19),
    exact("nightfall-key", &["NF-"], Plain, 32),
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
    open("paypal-token", &["A21AA"], Word, 80),
    open("perplexity-key", &["pplx-"], Plain, 40),
    open("persona-key", &["persona_production_", "persona_sandbox_"], Word, 20),
    open("pinecone-key", &["pcsk_"], Word, 50),
    open("pinterest-token", &["pina_"], Word, 20),
    open("planetscale-token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], Base64, 32),
    open("polar-token", &["polar_at_", "polar_oat_", "polar_pat_"], Word, 20),
    open("posthog-key", &["phx_"], Word, 40),
    open("postman-key", &["PMAK-", "PMAT-"], Word, 26),
    exact("prefect-token", &["pnu_", "pnb_"], Plain, 36),
    // A private RSA key without its header line, and an OpenSSH one.
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
    open("stytch-secret", &["secret-live-", "secret-test-"], Base64, 30),
    open("supabase-key", &["sbp_", "sb_secret_"], Word, 31),
    open("tailscale-key", &["tskey-"], Word, 20),
    open("tavily-key", &["tvly-"], Word, 20),
    exact("tencent-key", &["AKID"], Plain, 32),
    open("thunderstore-token", &["tss_"], Word, 20),
    open("together-key", &["tgp_v1_"], Word, 40),
    open("trello-token", &["ATTA"], Hex, 60),
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
    exact("yandex-token", &["YC"], Word, 38),
    open("yandex-token", &["y0_AgAAAA", "y0__"], Word, 40),
    open("zuplo-key", &["zpka_"], Word, 36),
    // OpenAI's oldest format, which others adopted.
    open("api-key", &["sk-"], Word, 20),
];

impl Token {
    /// The range of the secret of this kind whose prefix, in any case, is at `begin`.
    pub(super) fn at(&self, text: &str, begin: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let is_exact = self.begins.contains(&&text[begin.clone()]);
        let before = bytes[..begin.start].last();
        if !is_exact || before.is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        // As in `session-ghp_…`; a part of an identifier does not count.
        let is_part = before.is_some_and(|byte| matches!(byte, b'_' | b'-'));
        let rest = &bytes[begin.end..];
        let len = rest.iter().take(self.most + 1).take_while(|&&byte| self.letters.has(byte)).count();
        // Punctuation at the end of a sentence is not part of it.
        let ended =
            rest[self.least.min(len)..len].iter().rev().take_while(|&&byte| matches!(byte, b'.' | b'/' | b'-')).count();
        let body = &text[begin.end..begin.end + len - ended];
        let is_long = (self.least..=self.most).contains(&body.len());
        let has_digit = body.bytes().any(|byte| byte.is_ascii_digit());
        let is_exact_len = self.least == self.most;
        // The word continues with characters that this kind does not have.
        let goes_on = ended == 0 && rest.get(len).is_some_and(u8::is_ascii_alphanumeric);
        let is_one = is_long
            && has_variety(body)
            && !EXAMPLES.contains(&body)
            && (has_digit || is_exact_len || body.len() >= SURELY)
            && !goes_on;
        // Capitals and digits are not words of a longer name.
        let is_shouted = || has_digit && body.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
        let is_one = is_one && (!is_part || is_shouted() || (is_random(body) && !is_identifier(body)));
        is_one.then_some(begin.start..begin.end + body.len())
    }
}
