-- What the judgement of a change request depends on in a scope: its snapshot, which installations there are and in which state and
-- version, and of each that an operation holds, which run of it, and whether that has failed. Null if there is no such scope.
create function runtime.scope_version(environment text, application_runtime text, workspace bigint) returns text
  language sql stable set search_path = '' as $$
  select scope.snapshot_version || '/' || hashtextextended(coalesce((
    select string_agg(concat_ws(' ', installation.bundle_install_id, installation.state, installation.version,
      claim.operation_id, claim.run, claim.state = 'FAILED'), ',' order by installation.bundle_install_id)
    from runtime.installation as installation
    left join runtime.operation as claim on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
    where installation.scope_id = scope.scope_id and installation.state <> 'DETACHED'), ''), 0)
  from runtime.scope as scope
  where scope.environment_key = environment and scope.application_runtime_id = application_runtime
    and scope.workspace_id = workspace
$$;

-- the version of the scope with which the request was judged last: the runner judges it again when that has changed
alter table runtime.change_request_scope add column judged_version text;
