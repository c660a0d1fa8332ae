-- Claims are counted, and installations found by them, in the index of claims itself: it has the few operations that are
-- open, and an entry more of them whenever their state changes anyway.
drop index runtime.operation_claim;
create unique index operation_claim on runtime.operation (bundle_install_id)
  include (state, operation_type, environment_key, scope_id) where holds_claim;
-- nearly all that is FAILED holds its claim: taken as independent, the two would look like a handful
create statistics runtime.operation_claim_states (mcv) on state, holds_claim from runtime.operation;
analyze runtime.operation (state, holds_claim);
