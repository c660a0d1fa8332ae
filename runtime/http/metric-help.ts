/** The help text of each metric of the runtime. */
export const RUNTIME_METRIC_HELP: Readonly<Record<string, string>> = {
  bundle_runtime_http_requests_total: 'Requests by endpoint, status and error code.',
  bundle_runtime_http_request_seconds: 'Duration of requests by endpoint.',
  bundle_runtime_plugin_calls_total: 'Answered plugin calls by result.',
  bundle_runtime_plugin_call_seconds: 'Duration of plugin calls.',
  bundle_runtime_plugin_calls_in_flight: 'Plugin calls that wait for their response.',
  bundle_runtime_operations: 'Operations that hold a claim, by state; the same on every replica.',
  bundle_runtime_operations_in_doubt:
    'Operations that were in progress when the database went back in time; the same on every replica.',
  bundle_runtime_oldest_due_seconds:
    'How long the oldest due operation has waited for a worker; the same on every replica.',
  bundle_runtime_oldest_lock_seconds:
    'Age of the oldest operation that locks its installation; the same on every replica.',
  bundle_runtime_event_lag_seconds: 'Age of the oldest event that this replica has not delivered.',
  bundle_runtime_retention_removed_total:
    'What retention has removed, by kind; the same on every replica, as are all metrics of retention.',
  bundle_runtime_retention_failures_total: 'Runs of retention that failed and were repeated.',
  bundle_runtime_retention_overdue_seconds:
    'Since when a run of retention is due or in progress; 0 between runs.',
  bundle_runtime_retention_last_run_seconds: 'How long ago the last run of retention ended.',
  bundle_runtime_oldest_finished_seconds: 'How long ago the oldest finished operation ended.',
  bundle_runtime_listening: '1 while this replica receives notifications of other replicas.',
  bundle_runtime_clock_ahead_seconds: "How far the clock of this machine is ahead of the database's.",
  bundle_runtime_database_up: '1 if the database responded just now.',
  bundle_runtime_database_bytes: 'Size of the database; the same on every replica.',
  bundle_runtime_data_free_bytes: 'Free space of DATA_DIR, which also contains the embedded database.',
  bundle_runtime_database_full:
    '1 from a statement that failed for lack of disk space until the database can grow again.',
  bundle_runtime_database_lock_wait_seconds:
    'How long the longest wait for a lock has lasted; 0 if no session waits; the same on every replica.',
  bundle_runtime_database_connections: 'Connections by pool and state.',
  bundle_runtime_database_waiting: 'Requests that wait for a connection, by pool.',
  bundle_runtime_worker_operations_held: 'Operations leased by this worker.',
  bundle_runtime_worker_lease_polls_total: 'Polls that leased operations.',
  bundle_runtime_worker_leased_operations_total: 'Operations that polls leased.',
  bundle_runtime_worker_batches_total: 'Transactions that advanced several operations.',
  bundle_runtime_worker_advanced_operations_total: 'Operations advanced, in batches or alone.',
  bundle_runtime_worker_leases_lost_total: 'Leases lost during work.',
  bundle_runtime_worker_plugin_troubled: '1 for each plugin that left several calls unanswered.',
}
