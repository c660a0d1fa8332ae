-- What a session needs to follow its identity provider, and what its person recognizes it by in a list.
alter table bff.session
  -- the `sid` of the ID token, for a back-channel logout
  add column provider_session text,
  -- ID token and refresh token, encrypted with a key that is derived from the cookie: the database alone opens none
  add column sealed_tokens bytea,
  -- when the provider was last asked whether the person may still use the console; null: it gave no refresh token
  add column asked_at timestamptz,
  add column client_address text,
  add column user_agent text;
create index session_of_provider_session on bff.session (iss, provider_session) where provider_session is not null;

-- Logout tokens that were used, because each works once. Expired rows are purged with the sessions.
create table bff.logout_token (
  token_hash bytea primary key,
  expires_at timestamptz not null
);
create index logout_token_by_expiry on bff.logout_token (expires_at);
