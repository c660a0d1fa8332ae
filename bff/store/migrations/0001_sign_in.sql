-- Sign-in and sessions. Nothing here is worth stealing: every id that a browser or a client presents is kept as its
-- SHA-256 only, and no token is kept at all. Time is always the database's.

create table bff.session (
  id_hash bytea primary key,
  iss text not null,
  sub text not null,
  name text not null,
  -- what the identity provider said: [{"role", "scope"}]; what it allows is looked up at each request
  roles json not null,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp()
);
create index session_of_person on bff.session (iss, sub, created_at);
create index session_by_age on bff.session (created_at);

-- A sign-in under way; its row goes when the browser comes back.
create table bff.sign_in (
  state_hash bytea primary key,
  -- of the cookie of the one browser that may finish it
  browser_hash bytea not null,
  return_to text not null,
  created_at timestamptz not null default clock_timestamp()
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
  created_at timestamptz not null default clock_timestamp()
);

-- Token buckets of the sign-in limiter. Keys are hashed onto a fixed number of rows, so that no flood of invented names
-- can fill the table or push another row out.
create table bff.sign_in_limit (
  bucket integer primary key,
  tokens double precision not null,
  updated_at timestamptz not null default clock_timestamp()
);
