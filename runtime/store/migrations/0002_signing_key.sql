-- Public keys of the replicas on this database. Each signs with a private key of its own, which never leaves its data
-- directory; any of them publishes the keys of all, so that a token can be verified whoever is asked for the keys.
create table runtime.signing_key (
  kid text primary key,
  public_jwk json not null,
  last_seen_at timestamptz not null default clock_timestamp()
);
