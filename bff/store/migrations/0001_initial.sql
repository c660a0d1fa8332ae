-- Sign-in and sessions. Nothing here is worth stealing: every id that a browser or a client presents is stored as its
-- SHA-256 only, and no token is stored at all. Time is always the database's.

create table bff.session (
  id_hash bytea primary key,
  iss text not null,
  sub text not null,
  name text not null,
  -- what the identity provider said: [{"role", "scope"}]; what it allows is looked up at each request
  roles json not null,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  -- when the identity provider authenticated the person; null if it did not say (docs/decisions/0034)
  authenticated_at timestamptz,
  -- the `sid` of the ID token, for a back-channel logout
  provider_session text,
  -- ID token and refresh token, encrypted with a key that is derived from the cookie: the database alone opens none
  sealed_tokens bytea,
  -- when the provider was last asked whether the person may still use the console; null: it gave no refresh token
  asked_at timestamptz,
  -- what its person recognizes it by in a list
  client_address text,
  user_agent text
);
create index session_of_person on bff.session (iss, sub, created_at);
create index session_by_age on bff.session (created_at);
create index session_of_provider_session on bff.session (iss, provider_session) where provider_session is not null;

-- Logout tokens that were used, because each works once. Expired rows are purged with the sessions.
create table bff.logout_token (
  token_hash bytea primary key,
  expires_at timestamptz not null
);
create index logout_token_by_expiry on bff.logout_token (expires_at);

-- A sign-in in progress; its row is deleted when the browser returns.
create table bff.sign_in (
  state_hash bytea primary key,
  -- of the cookie of the one browser that may finish it
  browser_hash bytea not null,
  return_to text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- the session that the sign-in confirms, and the only person who may complete it; null for an ordinary sign-in
  confirms_session bytea,
  confirms_iss text,
  confirms_sub text,
  constraint sign_in_confirms check (num_nulls(confirms_session, confirms_iss, confirms_sub) in (0, 3))
);
create index sign_in_by_age on bff.sign_in (created_at);

-- The embedded identity provider's own records (codes, grants, interactions), by kind.
create table bff.idp_record (
  id_hash bytea primary key,
  kind text not null,
  payload json not null,
  grant_id text,
  uid text,
  consumed_at timestamptz,
  expires_at timestamptz not null
);
create index idp_record_of_grant on bff.idp_record (grant_id) where grant_id is not null;
create index idp_record_by_uid on bff.idp_record (uid) where uid is not null;
create index idp_record_by_expiry on bff.idp_record (expires_at);

create table bff.idp_user (
  -- as it is compared: lower case
  username text primary key,
  sub uuid not null unique,
  name text not null,
  password_hash text not null,
  roles json not null,
  created_at timestamptz not null default clock_timestamp(),
  -- false while a generated password may not have been shown to anybody: the next start then generates and shows another
  is_password_shown boolean not null default true
);

-- Token buckets of the sign-in limiter. Keys are hashed onto a fixed number of rows, so that no flood of invented names
-- can fill the table or push another row out.
create table bff.sign_in_limit (
  bucket integer primary key,
  tokens double precision not null,
  updated_at timestamptz not null default clock_timestamp()
);

-- What the console did itself, or refused, until the runtime has recorded it.
create table bff.audit_event (
  event_id uuid primary key,
  -- events of the same key are one event with a count, until it is sent; those without a key are never merged
  merge_key bytea unique,
  action text not null,
  outcome text not null,
  subject text not null,
  error_code text,
  -- null if the person is unknown
  actor_id text,
  actor_name text,
  actor_issuer text,
  scope json,
  bundle_install_id uuid,
  operation_id uuid,
  client_address text,
  request_id text not null,
  occurrences bigint not null default 1,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  -- when it is due to be sent; moved on before each attempt, so that a replica that dies leaves it to the others
  available_at timestamptz not null,
  attempts integer not null default 0
);
create index audit_event_due on bff.audit_event (available_at);

-- Names that people gave to the filters of a page. The search string is data of the console, not of the runtime.
create table bff.saved_view (
  view_id uuid primary key,
  -- the owner
  iss text not null,
  sub text not null,
  owner_name text not null,
  page text not null,
  name text not null,
  search text not null,
  is_shared boolean not null,
  updated_at timestamptz not null default clock_timestamp(),
  -- SHA-256 of the request that created it, so that its idempotency key is refused for another one
  request_digest bytea
);
create index saved_view_of_person on bff.saved_view (iss, sub);
create index saved_view_shared on bff.saved_view (page) where is_shared;

-- Identities of programs. Both tables grow by what administrators create; a token that has ended is purged after 90 days, as
-- are sessions, by purge-expired.ts. The audit keeps what was done.
create table bff.service_account (
  account_id uuid primary key,
  name text not null,
  -- as in bff.session
  roles json not null,
  created_by_id text not null,
  created_by_name text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create unique index service_account_by_name on bff.service_account (lower(name));

create table bff.service_account_token (
  token_id uuid primary key,
  account_id uuid not null references bff.service_account on delete cascade,
  -- SHA-256: a token has 256 random bits
  token_hash bytea not null unique,
  created_by_id text not null,
  created_by_name text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index service_account_token_of_account on bff.service_account_token (account_id);
create index service_account_token_by_end on bff.service_account_token (least(expires_at, revoked_at));

-- When a person last looked at the causes of failures, so that what began since is marked in every browser of theirs. One row a person;
-- rows of people who have not looked for half a year are purged (bff/store/purge-expired.ts).
create table bff.looked_at (
  iss text not null,
  sub text not null,
  causes_at timestamptz not null default clock_timestamp(),
  primary key (iss, sub)
);
create index looked_at_by_age on bff.looked_at (causes_at);
