import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readCallGraph, type DeclarationId } from './call-graph.ts'
import { projectFiles, root } from './process.ts'

// Counts the files that a person reads who follows one save: a number of one resource with one owner, without a
// conflict, from the field to the plugins of both stages and back as an event. Files change with every refactoring,
// names seldom; so the start of each step and what is left out are names. A name that is gone fails the command.
//
// What it leaves out: other replicas, types, the components and texts of the console (`web/ui`, `web/i18n`), what starts and stops the
// programs, and the branches in `LEFT_OUT`.

/** The path may take at most as many. A feature that needs more belongs in `LEFT_OUT` or in fewer files. */
const MOST_FILES = 150

/** Where a step begins that no call leads to, because it is a request, a timer or an argument. */
const STEPS: readonly { step: string; folder: string; names: readonly string[] }[] = [
  {
    step: 'a field stores its edit in the draft',
    folder: 'web',
    names: ['EditorField', 'NumberControl', 'useDraftField', 'useEditorState'],
  },
  { step: 'the review shows the plan of the save', folder: 'web', names: ['ReviewDialog'] },
  {
    step: 'the BFF checks the request and forwards it',
    folder: 'bff',
    names: [
      'observeRequests',
      'clientAddress',
      'securityHeaders',
      'publicHost',
      'provenance',
      'requireSession',
      'createSessions',
      'rateLimit',
      'endpointRoutes',
      'createActorAssertions',
      'createRuntimeClient',
    ],
  },
  {
    step: 'both servers read the request',
    folder: 'http-kit',
    names: ['requestId', 'canonicalPath', 'createOutbound'],
  },
  {
    step: 'the runtime checks the request',
    folder: 'runtime/http',
    names: [
      'observeRequests',
      'createServiceCheck',
      'createActorCheck',
      'createCallerLimits',
      'mountRuntimeApi',
    ],
  },
  {
    step: 'the use cases plan and save',
    folder: 'runtime/use-cases',
    names: ['planSave', 'saveConfiguration'],
  },
  {
    step: 'a worker leases the operation, calls the plugins and advances it',
    folder: 'runtime/worker',
    names: ['startWorker'],
  },
  { step: 'requests leave through the outbound client', folder: 'runtime/http', names: ['countCalls'] },
  {
    step: 'the event feed reads and sends the change',
    folder: 'runtime/events',
    names: ['createFeed', 'createEventStream'],
  },
  {
    step: 'the BFF passes the event on',
    folder: 'bff',
    names: ['createRuntimeEvents', 'eventRoute'],
  },
  { step: 'the page is updated', folder: 'web', names: ['startLiveUpdates'] },
]

/** Branches that this save does not take, each named by the declaration that begins it. */
const LEFT_OUT: readonly { why: string; names: Readonly<Record<string, readonly string[]>> }[] = [
  {
    why: 'shapes of data: they are types that also exist at run time',
    names: {
      contract: [
        'runtimeApi',
        'RuntimeEvent',
        'Envelope',
        'FailureData',
        'LifecycleResponse',
        'ManifestPlugin',
        'BundleRef',
        'InstallationIdentity',
        'OperationIdentity',
        'LIFECYCLE_RESPONSE_FIELDS',
        'Data',
        'STAGES',
        'CLAIM_STATES',
      ],
      runtime: ['Claims'],
    },
  },
  {
    why: 'a request, value or call that fails or is refused',
    names: {
      web: ['translateError', 'placedError', 'problemsOf', 'needsSignIn', 'SignInAgain'],
      bff: ['refusedRequest', 'ConsoleFailure'],
      'http-kit': [
        'TransportError',
        'asError',
        'OutboundError',
        'failureTraits',
        'reasonOf',
        'tlsReasonOf',
        'whyNoResponse',
      ],
      database: ['isUnavailable', 'rejectsWrites', 'throwUnless'],
      'contract/json-schema': ['explain'],
      'contract/protocol': [
        'StrictJsonError',
        'platformMessage',
        'placeIn',
        'PLATFORM_MESSAGES',
        'isFromPlugin',
        'reasonOf',
        'mapMessage',
      ],
      'runtime/http': ['refusalEnvelope', 'recordRefusal', 'auditSubjectOf'],
      'runtime/engine': [
        'DomainError',
        'refuseFor',
        'claimProblem',
        'endsAutomatically',
        'describeNoResponse',
        'recordUnusable',
        'judgeFailure',
        'unsentFailure',
        'callFailure',
        'errorPathTo',
        'maskFailure',
        'withReads',
      ],
      'runtime/use-cases': ['staleSnapshot', 'refuseLastSnapshot', 'notFound'],
      'runtime/worker': ['recordLate', 'readUnknownBefore', 'readRefused'],
    },
  },
  {
    why: 'a conflict with another save',
    names: {
      web: [
        'ConflictStep',
        'ConflictFooter',
        'NewerValue',
        'LeftOut',
        'isTaken',
        'take',
        'marksOf',
        'EditStatus',
        'MovedList',
        'rebase',
        'useMerge',
        'countOpen',
        'openPaths',
        'chooseSide',
      ],
    },
  },
  {
    why: 'change requests, freezes, pins, recalls, retired plugins, and what a plan only notes',
    names: {
      web: ['useProposal', 'needsReview', 'withoutReview', 'ReviewNotice', 'isOfGate', 'PlanNotices'],
      'runtime/engine': ['pinAgainst', 'freezesOn', 'insteadOfCall', 'retiredProblems'],
      // what an override needs
      'runtime/use-cases': ['loadRecall', 'noticesOf', 'authorize', 'requireRecentSignIn'],
      'runtime/worker': ['answeredHere'],
    },
  },
  {
    why: 'a resource that is gone, and a draft that was kept for another version',
    names: { web: ['useGone', 'GoneEdit'] },
  },
  {
    why: 'sensitive values',
    names: {
      'contract/protocol': ['hideProtectedProperty', 'hideProtectedName'],
      'http-kit': ['Scrubber'],
      'runtime/sealing': [],
      'runtime/engine': [
        'sensitiveIn',
        'sensitiveValues',
        'newSecrets',
        'holdsPlatformCredential',
        'maskAnswer',
        'hidePlatformMaterial',
        'CREDENTIAL_START',
      ],
      runtime: [
        'planComparing',
        'WriteComparisons',
        'markSensitive',
        'issuedCredentialsIn',
        'authorizeObject',
      ],
    },
  },
  {
    why: 'values of other kinds, JSON documents, services, and gateways',
    names: {
      'contract/json-schema': ['patternCost', 'workForPattern', 'hasUniqueItems', 'FORMATS', 'inSchemaOrder'],
      'contract/protocol': ['StrictJsonScanner'],
      web: [
        'CONTROLS',
        'AsJson',
        'useJsonMode',
        'TestReference',
        'partError',
        'jsonError',
        'useDocument',
        'isReferenceShape',
        'emptyOf',
        'EmptyText',
        'jsonErrorText',
      ],
      'runtime/engine': ['domainsOfChanges', 'fullChanges'],
      runtime: [
        'loadDomainProblems',
        'releaseDomains',
        'takeDomains',
        'readUsableServices',
        'readServiceAddresses',
      ],
    },
  },
  {
    why: 'values that others manage or write',
    names: {
      web: ['PlainValue', 'FieldHints', 'useManagerText', 'isManagedBy'],
      'runtime/engine': ['managerProblems', 'removableBy', 'managerOfSave', 'auditedApply', 'checkWrites'],
      'runtime/store': ['readUnchecked'],
    },
  },
  {
    why: 'other pages, and a page that was opened before or lost its events',
    names: {
      web: ['useGoTo', 'takeDocumentOrigin'],
    },
  },
  {
    why: 'sign-in and sign-out',
    names: {
      bff: ['endSessionsOfPerson', 'sealTokens', 'openTokens', 'plainText'],
    },
  },
  {
    why: 'an operation that is not advanced with others, or changes more than itself',
    names: {
      'runtime/worker': ['advanceSingle', 'persistWideDecisions', 'mayChangeConfiguration'],
    },
  },
  {
    why: 'reads from a standby, and a plugin that does not respond',
    names: {
      'runtime/http': ['STANDBY_READS'],
      'runtime/engine': ['afterContact', 'CLOSED'],
    },
  },
  {
    why: 'a request that costs more than one, and a runtime that is newer than the console',
    names: { 'http-kit': ['NO_LOAD'], bff: ['hasUnknownNames', 'withoutUnknownEntries'] },
  },
  { why: 'undo', names: { web: ['UndoStack', 'useUndo', 'focusedText'] } },
  { why: 'an upgrade', names: { 'runtime/store': ['upgradeTo'] } },
]

const graph = readCallGraph(root, sourceFiles(), aliases())
const path = graph.reach(
  STEPS.flatMap((step) => idsOf(step)),
  new Set(
    LEFT_OUT.flatMap(({ names }) =>
      Object.entries(names).flatMap(([folder, inFolder]) => idsOf({ folder, names: inFolder })),
    ),
  ),
)
const leadsTo = new Map<string, DeclarationId>()
for (const [id, from] of path) {
  const file = fileOf(id)
  if (!leadsTo.has(file)) leadsTo.set(file, from ?? id)
}
const files = [...leadsTo.keys()].toSorted()
if (process.argv.includes('--files')) {
  for (const file of files) console.log(`${file}  <- ${leadsTo.get(file) ?? ''}`)
  console.log()
}
const rooms = Map.groupBy(files, (file) => dirname(file).split('/').slice(0, 2).join('/'))
for (const [room, inRoom] of [...rooms].toSorted(([, one], [, other]) => other.length - one.length))
  console.log(String(inRoom.length).padStart(4), room)
const outside = files.filter((file) => !file.startsWith('contract/'))
console.log(`${files.length} files, ${outside.length} of them outside contract; at most ${MOST_FILES}`)
if (files.length > MOST_FILES) process.exitCode = 1

function idsOf({ folder, names }: { folder: string; names: readonly string[] }): DeclarationId[] {
  if (names.length === 0) return graph.find(folder)
  return names.flatMap((name) => {
    const ids = graph.find(folder, name)
    if (ids.length === 0)
      throw new Error(`No file below ${folder} declares ${name}; name what took its place`)
    return ids
  })
}

function fileOf(id: DeclarationId): string {
  return id.slice(0, id.indexOf('#'))
}

function sourceFiles(): string[] {
  return projectFiles('contract', 'http-kit', 'database', 'runtime', 'bff', 'web')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.d\.ts$|\/testing[/.-]/.test(file))
    .filter((file) => !/^web\/(ui|i18n)\//.test(file))
}

function aliases(): Record<string, string> {
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>
  }
  return Object.fromEntries(
    Object.entries(imports).map(([alias, path]) => [alias.replace('*', ''), path.replace(/^\.\/|\*$/g, '')]),
  )
}
