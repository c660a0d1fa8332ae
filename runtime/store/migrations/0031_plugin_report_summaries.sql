-- What the list of reports shows. Generated, because replicas of the previous version store reports without it.
create function runtime.report_summary(report jsonb) returns jsonb language sql immutable parallel safe as $$
  select jsonb_build_object(
    'complete', coalesce((report ->> 'complete')::boolean, false),
    'checkerVersion', report ->> 'checkerVersion',
    'startedAt', report ->> 'startedAt',
    'docsUrl', report ->> 'docsUrl',
    'totals', jsonb_build_object(
      'PASSED', count(*) filter (where status = 'PASSED'),
      'FAILED', count(*) filter (where status = 'FAILED'),
      'BLOCKED', count(*) filter (where status = 'BLOCKED'),
      'NOT_TESTED', count(*) filter (where status = 'NOT_TESTED')
    )
  )
  from jsonb_to_recordset(report -> 'cases') as one (status text)
$$;

alter table runtime.plugin_report
  add column summary jsonb not null generated always as (runtime.report_summary(report)) stored;
