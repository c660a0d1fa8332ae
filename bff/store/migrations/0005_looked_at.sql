-- When a person last looked at the causes of failures, so that what began since is marked in every browser of theirs. One row a person;
-- rows of people who have not looked for half a year are purged (bff/store/purge-expired.ts).
create table bff.looked_at (
  iss text not null,
  sub text not null,
  causes_at timestamptz not null default clock_timestamp(),
  primary key (iss, sub)
);
create index looked_at_by_age on bff.looked_at (causes_at);
