-- When the identity provider authenticated the person; null if it did not say (docs/decisions/0034).
alter table bff.session add column authenticated_at timestamptz;

-- The session that a sign-in confirms, and the only person who may complete it; null for an ordinary sign-in.
alter table bff.sign_in
  add column confirms_session bytea,
  add column confirms_iss text,
  add column confirms_sub text,
  add constraint sign_in_confirms check (num_nulls(confirms_session, confirms_iss, confirms_sub) in (0, 3));
