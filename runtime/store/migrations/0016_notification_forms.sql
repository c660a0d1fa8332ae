-- The form of the notifications of a webhook, as its receiver reads them.
alter table runtime.webhook add column format text not null default 'STANDARD';

-- Whether the body is what is sent. At first it is what a trigger recorded; whoever sends it first writes it, once, so that every
-- attempt sends the same bytes. Notifications of earlier versions are written.
alter table runtime.webhook_delivery add column is_written boolean not null default true;
alter table runtime.webhook_delivery alter column is_written set default false;

-- With the failure and the reason as they are recorded: who sends it masks them, and says what they mean.
create or replace function runtime.notify_operation(event text, changed runtime.operation, until_started timestamptz default null)
  returns void
  language sql set search_path = '' as $$
  insert into runtime.webhook_delivery (webhook_id, event, subject, operation_id, body)
  select webhook_id, event, (changed).operation_id || '/' || (changed).run, (changed).operation_id,
    runtime.notification_body(event, json_build_object(
      'operationId', (changed).operation_id,
      'operationType', (changed).operation_type,
      'state', (changed).state,
      'phase', (changed).phase,
      'run', (changed).run,
      'targetVersion', (changed).target_version,
      'reason', (changed).reason,
      'failure', (changed).failure,
      'installation', json_build_object(
        'environmentKey', (changed).environment_key,
        'applicationRuntimeId', (changed).application_runtime_id,
        'workspaceId', (changed).workspace_id,
        'bundleInstallId', (changed).bundle_install_id,
        'bundle', json_build_object(
          'environmentKey', (changed).bundle_environment_key, 'bundleId', (changed).bundle_id))))
  from runtime.webhooks_for(event, changed, until_started)
  on conflict (webhook_id, event, subject) do nothing
$$;
