/** The plugin-check reports of a plugin, and the policies of environments for them. */
export const pluginReports = {
  about:
    'plugin-check tests whether a plugin follows the lifecycle protocol. The last report of each version is kept, without the requests and responses of its cases.',
  upload: 'Upload report',
  noVersion: 'This plugin is registered without a version, so no report applies to it. Edit it to set one.',
  'none.title': 'No reports',
  'none.message': 'Run plugin-check with --json and upload its report.',
  version: 'Version {version}',
  current: 'Registered version',
  incomplete: 'This run left out cases, so it does not count as passed.',
  cases: 'Cases',
  totals: '{passed} passed, {failed} failed, {untested} not tested',
  ran: 'Tested',
  uploaded: 'Uploaded',
  checker: 'plugin-check version',
  digest: 'Digest (SHA-256)',
  findings: { one: '{n} case failed or not tested', other: '{n} cases failed or not tested' },
  failed: 'Failed',
  untested: 'Not tested',

  'form.title': 'Upload a report for {plugin}',
  'form.about':
    'The JSON report that plugin-check run writes with --json. It replaces the last one of its version.',
  'form.report': 'Report',
  'form.file': 'Choose file',
  'form.submit': 'Upload',
  'form.empty': 'Paste a report or choose a file',
  'form.notReport': 'This is not a JSON report of plugin-check.',
  'form.noVersion':
    'Neither the report nor the registration names a version. Set version in the profile, or edit the plugin.',
  'form.target': 'For version {version}',
  'form.done': 'Report for version {version} uploaded.',

  'policy.title': 'Policies for plugin reports',
  'policy.about':
    'What happens in an environment when an install, upgrade, or configuration change would call a plugin whose version has no passing report. Detaching and operations that have started are never refused.',
  'policy.environment': 'Environment',
  'policy.invalid': 'Use 1 to 128 letters (A–Z, a–z), digits, or . _ ~ -',
  'policy.label': 'Without a passing report',
  'policy.IGNORE': 'Ignore',
  'policy.WARN': 'Warn in the plan',
  'policy.REFUSE': 'Refuse',
  'policy.readOnly':
    'Only people who can manage plugins in every scope can change a policy. Ask an administrator.',
  'policy.saved': 'Policy of {environment} saved.',
} as const
