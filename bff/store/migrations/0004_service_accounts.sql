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
