/** A requirement for the security of the platform. */
export interface Requirement {
  /** A letter for the subject and two digits; tests carry it at the end of their titles: `is refused (G05)`. */
  id: string
  level: 'MUST' | 'SHOULD' | 'COULD'
  /** What holds, as one sentence. Markdown. */
  text: string
  /** Why it is not met, or met in another way; then it may have no test. */
  open?: string
}

/** Subjects by letter, in the order of the page. */
export const SUBJECTS: Readonly<Record<string, string>> = {
  A: 'Sessions and cookies',
  B: 'Where a request comes from',
  C: 'In the browser',
  D: 'HTTP',
  E: 'Calls of the platform to others',
  F: 'Identity provider',
  G: 'Authorization and audit',
  H: 'Secrets',
  I: 'Errors and logs',
  J: 'Load',
  K: 'Packages and builds',
}

const must = (id: string, text: string, open?: string): Requirement => ({
  id,
  level: 'MUST',
  text,
  ...(open !== undefined && { open }),
})
const should = (id: string, text: string, open?: string): Requirement => ({
  ...must(id, text, open),
  level: 'SHOULD',
})
const could = (id: string, text: string, open?: string): Requirement => ({
  ...must(id, text, open),
  level: 'COULD',
})

/** All requirements, by id. */
export const REQUIREMENTS: readonly Requirement[] = [
  must(
    'A01',
    'Every cookie is `HttpOnly`, has an explicit `SameSite` and no domain; over https its name has the prefix `__Host-Http-`.',
  ),
  must('A02', 'A cookie contains only a random id of at least 256 bits; the database has only its hash.'),
  must(
    'A03',
    'A sign-in and a repeated sign-in issue a new id and end the old one; an id that the console did not issue is never adopted.',
  ),
  must(
    'A04',
    'A session ends when idle and at an absolute limit, by the time of the database; requests in the background do not extend it.',
  ),
  must(
    'A05',
    'A sign-out is a POST; it ends the session on every replica, clears the data of the site and says where to end the session at the provider.',
  ),
  must('A06', 'A session that depends on a refresh token ends when the provider refuses the token.'),
  should('A07', 'A person lists and ends their sessions; an administrator ends those of anybody.'),
  should('A08', 'A person has at most ten sessions; the oldest ends.'),
  should(
    'A09',
    'The API answers 401, never a redirect; edits survive the next sign-in, without sensitive values.',
  ),
  must('A10', 'No credential, session id or secret is in an address or in a storage of the browser.'),

  must('B01', 'One middleware before all routes judges where an unsafe request comes from.'),
  must(
    'B02',
    'An unsafe request has `Sec-Fetch-Site: same-origin`, or the configured origin in `Origin`; `Host` is not trusted.',
  ),
  must('B03', 'Every request of the API has `X-Requested-By`; a body has the type JSON.'),
  must('B04', 'GET and HEAD change nothing; no response grants a CORS permission.'),
  must('B05', 'Other methods are refused; headers and parameters that override the method are ignored.'),
  should(
    'B06',
    'An event stream passes the same checks, and ends within a minute when its session ends or its person gets other roles.',
  ),
  should('B07', 'A sign-in ends only in the browser that started it, once, within ten minutes.'),

  must(
    'C01',
    'Every response has a content security policy without unsafe sources; documents require Trusted Types and report violations.',
  ),
  must(
    'C02',
    'Every response, those of the HTTP parser too, has `nosniff`, `no-referrer` and `DENY`; over https, HSTS of at least a year.',
  ),
  must(
    'C03',
    'Every response isolates its origin (COOP, CORP, `Origin-Agent-Cluster`) and refuses all powerful features.',
  ),
  must(
    'C04',
    'Responses of the API and of the sign-in are not stored by caches; only files with a hash in their names are immutable.',
  ),
  must('C05', 'The API answers only requests of scripts, and documents only requests for a page.'),
  must(
    'C06',
    'Text of plugins and people is shown as text; a rule of the linter refuses raw HTML; links lead only to http and https.',
  ),
  must(
    'C07',
    'A schema of a plugin is data: patterns run under a limit of time, depth and size are limited, and so is the work of a check.',
  ),
  should(
    'C08',
    'A field of a sensitive value is masked and without completion; its value is discarded after the save.',
  ),
  should('C09', 'Reports of violations are collected, limited and without values.'),
  could('C10', 'What is copied for a spreadsheet escapes the beginnings of formulas.'),

  must('D01', 'A request whose end could be read in two ways is refused.'),
  must('D02', 'A path has one spelling; every other is refused before it is routed.'),
  must(
    'D03',
    'The document is served only to requests for a page, and files only from the build, without source maps.',
  ),
  must('D04', 'A request to the runtime is built from nothing: no header of the browser is forwarded.'),
  must(
    'D05',
    'A response of the runtime is rebuilt: only status, code and data that the contract knows pass.',
  ),
  must('D06', 'No name or title contains a control character; no value can begin a header.'),
  must(
    'D07',
    'Bodies have limits of size, depth, keys and strings; compressed ones and JSON with two readings are refused.',
  ),
  must('D08', 'A slow client loses its connection; others are served meanwhile.'),
  must(
    'D09',
    'All attempts of a request share one deadline; a write whose response was lost is repeated with its key.',
  ),
  must('D10', 'The address of a client is taken from exactly the configured number of proxies.'),
  should(
    'D11',
    'Health and metrics reveal no data; metrics of the console are served only if a setting says so.',
  ),
  should('D12', 'Responses name the headers on which they depend; errors are not cached.'),

  must(
    'E01',
    'No address from a browser or a response of a plugin is called; where calls may go is a setting, not data.',
  ),
  must(
    'E02',
    'The reached address is judged after connecting and before the first byte, in every spelling; the platform itself is never called.',
  ),
  must(
    'E03',
    'Redirects are not followed, http needs a setting, certificates are always verified, a user and a fragment are refused.',
  ),
  must('E04', 'One module makes calls to plugins and webhooks; a rule of the linter refuses others.'),
  must('E05', 'A response has limits of size, also unpacked, and of time.'),
  must(
    'E06',
    'A token is sent only in `Authorization`, only to its plugin, and is valid for at most five minutes.',
  ),
  should('E07', 'A plugin that does not answer slows down no other plugin.'),

  must(
    'F01',
    'A sign-in uses the code flow with PKCE, state and nonce; the issuer is exactly the configured one.',
  ),
  must('F02', 'Issuer, audience, `azp`, times, nonce and algorithm of an ID token are verified.'),
  must('F03', 'A person is issuer and subject, never an address of mail; an unknown role grants nothing.'),
  must('F04', 'A client authenticates with a key or with a secret from a file.'),
  must('F05', 'A refresh of tokens happens once per session over all replicas.'),
  must('F06', 'A provider ends sessions by back-channel logout.'),
  must('F07', 'Text of a provider is never shown as markup and never logged raw.'),
  should('F08', 'What cannot be undone needs a recent sign-in, which the runtime verifies.'),
  must('F09', 'After a sign-in only pages of the console are returned to.'),
  should('F10', 'Without the provider sessions go on, and the console recovers by itself.'),
  should('F11', 'Keys of a provider are fetched at most once a minute for unknown key ids.'),

  must(
    'G01',
    'An endpoint without a permission does not start; console and runtime both check every request.',
  ),
  must('G02', 'A response contains only what its schema and the permissions of the person allow.'),
  must(
    'G03',
    'The path names the object; another id in the body is refused, and items of a batch are authorized one by one.',
  ),
  must('G04', 'What a person may not see is answered like what does not exist.'),
  must('G05', 'A missing, malformed, expired or doubled credential is 401.'),
  must(
    'G06',
    'The console has no permission of its own: the runtime wants a signed assertion of the person.',
  ),
  must(
    'G07',
    'A takeover has a permission of its own, a recent sign-in, a reason, the run that was seen, and an audit entry in its transaction; late results change nothing.',
  ),
  must(
    'G08',
    'The audit has every change and refusal with person, object, address and time, without a secret, in the transaction of the change.',
  ),
  must('G09', 'No entry of the audit can be changed or deleted by the program.'),
  must(
    'G10',
    'The audit is a chain without gaps; signed anchors outside of the database reveal a chain that was cut or rewritten.',
  ),
  should('G11', 'A changed role is in force within a minute in all sessions of a person.'),
  could('G12', 'A second person approves what cannot be undone.'),

  must(
    'H01',
    'A sensitive value is encrypted with AES-256-GCM for its one place; its keys are wrapped by a key outside of the database.',
  ),
  must('H02', 'No secret is in a response, event, log line, metric, backup or file, in any usual encoding.'),
  must(
    'H03',
    'A sensitive value is never read back; a mask is not a value. That an equal value changes nothing may show, within a budget of comparisons.',
  ),
  must(
    'H04',
    'Who changes where a secret is sent needs a permission of its own; a backup that was changed is refused.',
  ),
  must('H05', 'The sealing key is rotated without downtime, and a rotation that was interrupted continues.'),
  must('H06', 'Secrets come from files, are in no error text, and a crash writes no memory to disk.'),
  should(
    'H07',
    'Migration, runtime, console and readers have roles of their own in the database.',
    'One program needs one role for both schemas. Each may have its own where console and runtime are programs of their own, as may the migration (`DATABASE_MIGRATE=off`, `npm run migrate`) and the reads from a standby (`DATABASE_READ_URL`); no role is created for them.',
  ),
  should('H08', 'A backup cannot be restored without its sealing key.'),

  must('I01', 'An error has a code, a message for people and a request id; never a stack, SQL or a path.'),
  must('I02', 'A log line is one JSON object, in which known secrets are masked.'),
  must('I03', 'Metrics have no values of people, and a limited number of series.'),
  must('I04', 'After an error that nobody expected the program ends.'),
  should('I05', 'Logs go to one stream, in UTC.'),

  must('J01', 'Requests are limited by person and by address, and weighed by what they cost.'),
  must('J02', 'Lists have pages of at most 200, and known filters and orders.'),
  must(
    'J03',
    'Without a free connection to the database a request gets 503 with the time to retry; readiness says so.',
  ),
  should('J04', 'A program that falls behind by 100 ms refuses expensive requests first.'),
  must('J05', 'Wrong passwords are limited in the database, bounded, over restarts.'),

  must('K01', 'The lock file has a hash for every package.'),
  must(
    'K02',
    'Install scripts run only for listed packages, of which each version is reviewed; no package comes from git or an address.',
  ),
  must('K03', 'Versions are exact and at least a week old; the number of packages has a budget.'),
  must('K04', 'Advisories and signatures are verified where the registry answers.'),
  should('K05', 'Every build has an SBOM and a list of licenses.'),
  should(
    'K06',
    'Packages are published with provenance, without a lasting token.',
    'The workflow still needs a token of the registry until the packages exist there and trusted publishing can be set.',
  ),
  should('K07', 'The image runs without root, with a file system that is read-only.'),
  should(
    'K08',
    'Actions of the build are pinned by hash, with the least permissions.',
    'Actions are named by version; their hashes need the network of a release.',
  ),
]
