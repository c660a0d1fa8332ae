import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ChangePlan } from '#contract/runtime-api/change-requests.ts'
import type { BatchTargets } from '#contract/runtime-api/batches.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { CHANGE_KINDS } from '#contract/runtime-api/vocabulary.ts'
import { applyChangeRequest } from '#runtime/use-cases/change-requests/apply.ts'
import { readChangePolicy, saveChangePolicy } from '#runtime/use-cases/change-requests/policies.ts'
import { planChangeRequest } from '#runtime/use-cases/change-requests/read.ts'
import * as requests from '#runtime/use-cases/change-requests/write.ts'
import { saveConfiguration } from '#runtime/use-cases/configuration/save.ts'
import { continueBatch, stopBatch } from '#runtime/use-cases/batches/continue-batch.ts'
import { readBatch } from '#runtime/use-cases/batches/read-batches.ts'
import { removeFreeze, saveFreeze } from '#runtime/use-cases/gate/freezes.ts'
import { retryOperation } from '#runtime/use-cases/operations/runs.ts'
import { coreOf } from '../bundles.ts'
import type { BundleName } from '../bundles.ts'
import type { SimulatedDatabase } from '../simulation/database.ts'
import type { InstallationView, Users } from '../simulation/users.ts'
import { randomBatch } from './batch-input.ts'
import { Caller } from './caller.ts'
import type { CallerOptions, PersonId } from './caller.ts'
import { effectsSeen, lookAt } from './effects.ts'
import type { SeenRequest } from './effects.ts'
import type { Known } from './judge.ts'

/** How often each step is taken. */
const STEPS = {
  propose: 5,
  edit: 3,
  submit: 2,
  approve: 8,
  reject: 0.4,
  withdraw: 0.4,
  comment: 1,
  schedule: 4,
  unschedule: 0.6,
  rebase: 1,
  apply: 4,
  override: 0.7,
  continue: 2,
  stop: 0.3,
  retry: 1.5,
  save: 3,
  policy: 1.5,
  freeze: 1.5,
  thaw: 0.7,
  clock: 1,
  wait: 2,
} as const

const BUNDLE_NAMES = ['plain', 'single'] as const satisfies BundleName[]
const PATCH = 'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

interface World extends CallerOptions {
  database: SimulatedDatabase
  users: Users
  /** Of an installation in another environment, which only batches change. */
  elsewhere: Users
  scope: Scope
  environments: readonly string[]
  /** Of each request, also of those whose creation was not answered. */
  known: Map<string, Known>
}

/** People who work with change requests in one scope, and with batches that reach another one. */
export class People {
  private readonly world: World
  private readonly caller: Caller
  /** What somebody saw last, who may act on it later. */
  private readonly remembered = new Map<string, SeenRequest>()

  constructor(world: World) {
    this.world = world
    this.caller = new Caller(world)
  }

  /** By the clock of the database. */
  private get now(): number {
    return this.world.schedule.now + this.world.database.shiftMs
  }

  /** Mostly, an environment has a policy from the beginning. */
  async begin(): Promise<void> {
    if (this.world.random.chance(0.7)) await this.setPolicy('cyd', this.world.scope.environmentKey)
  }

  async act(by: PersonId): Promise<void> {
    const { random, schedule } = this.world
    await schedule.wait(random.between(50, 3_000))
    const step = random.weighted(STEPS)
    switch (step) {
      case 'propose':
        return this.propose(by)
      case 'save':
        return this.save(by)
      case 'policy':
        return this.setPolicy(by, random.pick(this.world.environments))
      case 'retry':
        return this.retry(by)
      case 'freeze':
        return this.freeze(by)
      case 'thaw':
        await this.caller.send(by, 'DELETE /freezes/{name}', removeFreeze, {
          params: { name: this.freezeName() },
          body: undefined,
        })
        return
      case 'clock':
        this.world.database.shiftMs += random.integer(-60_000, 60_000)
        return
      case 'wait':
        return schedule.wait(random.between(1_000, 30_000))
      default:
        return this.actOn(by, step)
    }
  }

  private async propose(by: PersonId): Promise<void> {
    const { random, users, scope, known } = this.world
    const view = await users.look()
    const described = { title: 'A change', submit: random.chance(0.8) }
    const installed = random.pick(view.installations)
    const one = random.chance(0.5)
      ? { kind: 'BATCH' as const, input: await this.batch() }
      : random.chance(0.75)
        ? {
            kind: 'CONFIGURE' as const,
            scope,
            input: { snapshotVersion: view.snapshotVersion, changes: this.changes() },
          }
        : random.chance(0.7)
          ? {
              kind: 'UPGRADE' as const,
              input: {
                bundleInstallId: installed.bundleInstallId,
                targetVersion: installed.version === '1.0.0' ? '2.0.0' : '1.0.0',
              },
            }
          : { kind: 'DETACH' as const, input: { bundleInstallId: installed.bundleInstallId } }
    const answer = await this.caller.send(by, 'POST /change-requests', requests.createChangeRequest, {
      params: {},
      body: { ...described, ...one },
    })
    if (answer?.errorCode !== '0') return
    // the response of the row
    const { changeRequest } = answer.data as { changeRequest: { changeRequestId: string } }
    known.set(changeRequest.changeRequestId, {
      approvals: [],
      acknowledged: [{ by, event: 'CREATED' }, ...(described.submit ? [{ by, event: 'SUBMITTED' }] : [])],
      wasTried: false,
    })
  }

  private changes(): Changes {
    const { random } = this.world
    const values = () => ({
      name: wrapData(`name ${random.below(4)}`),
      ...(random.chance(0.4) && { seats: wrapData(random.below(4)) }),
    })
    const first = random.pick(BUNDLE_NAMES)
    return Object.fromEntries(
      [...new Set([first, ...(random.chance(0.2) ? BUNDLE_NAMES : [])])].map((bundle) => [
        coreOf(bundle),
        values(),
      ]),
    )
  }

  private async batch(): Promise<BatchTargets> {
    const { random, environments } = this.world
    return randomBatch(random, await this.installations(), environments)
  }

  private async installations(): Promise<InstallationView[]> {
    const { users, elsewhere } = this.world
    const views = [await users.look(), await elsewhere.look()]
    return views.flatMap(({ installations }) => installations)
  }

  private async retry(by: PersonId): Promise<void> {
    const installations = await this.installations()
    const failed = installations.flatMap(({ claim }) => (claim?.state === 'FAILED' ? [claim] : []))
    if (failed.length === 0) return
    const { operationId, run } = this.world.random.pick(failed)
    await this.caller.send(by, 'POST /operations/{operationId}/retry', retryOperation, {
      params: { operationId },
      body: { run },
    })
  }

  private async save(by: PersonId): Promise<void> {
    const { users, scope } = this.world
    const { snapshotVersion } = await users.look()
    const body = { snapshotVersion, changes: this.changes() }
    await this.caller.send(by, PATCH, saveConfiguration, { params: scope, body })
  }

  private async setPolicy(by: PersonId, environmentKey: string): Promise<void> {
    const { random } = this.world
    const params = { environmentKey }
    const policy = await this.caller.read(by, (context) =>
      readChangePolicy(context, { params, query: {}, body: undefined }),
    )
    if (policy === null) return
    const requiredFor = CHANGE_KINDS.filter(() => random.chance(0.7))
    await this.caller.send(by, 'PUT /change-policies/{environmentKey}', saveChangePolicy, {
      params,
      body: { requiredFor, approvals: random.integer(1, 2), updatedAt: policy.updatedAt },
    })
  }

  private readonly freezeName = (): string =>
    `${this.world.scope.environmentKey}-${this.world.random.below(2)}`

  private async freeze(by: PersonId): Promise<void> {
    const { random, scope, environments } = this.world
    const from = this.now + random.between(-5_000, 15_000)
    const places = random.chance(0.5) ? { environments: [random.pick(environments)] } : { scopes: [scope] }
    await this.caller.send(by, 'PUT /freezes/{name}', saveFreeze, {
      params: { name: this.freezeName() },
      body: {
        ...places,
        from: new Date(from).toISOString(),
        to: new Date(from + random.between(5_000, 60_000)).toISOString(),
        timeZone: 'UTC',
        blocks: CHANGE_KINDS.filter((kind) => kind === 'CONFIGURE' || random.chance(0.5)),
        allowsRecovery: random.chance(0.5),
        message: 'Not now',
      },
    })
  }

  private async actOn(by: PersonId, step: string): Promise<void> {
    const { random, known } = this.world
    // of all requests, also those that have ended; the newest most often
    const ids = [...known.keys()]
    if (ids.length === 0) return this.propose(by)
    const id = random.chance(0.6) ? ids.at(-1)! : random.pick(ids)
    const about = known.get(id)!
    const params = { changeRequestId: id }
    const read = { params, query: {}, body: undefined }
    const remembered = random.chance(0.15) ? this.remembered.get(id) : undefined
    const detail = remembered ?? (await lookAt(this.world.database, id))
    this.remembered.set(id, detail)
    const body = { revision: detail.revision }
    const done = (answer: { errorCode: string } | null, event: string): void => {
      if (answer?.errorCode === '0') about.acknowledged.push({ by, event })
    }
    const plan = async (): Promise<ChangePlan | null> =>
      this.caller.read(by, (context) => planChangeRequest(context, read))
    const path = '/change-requests/{changeRequestId}'
    switch (step) {
      case 'edit': {
        if (detail.kind === 'BATCH') {
          const edited = { ...body, kind: detail.kind, input: await this.batch() }
          await this.caller.send(by, `PATCH ${path}`, requests.editChangeRequest, { params, body: edited })
          return
        }
        if (detail.kind !== 'CONFIGURE') return
        const { snapshotVersion } = await this.world.users.look()
        const input = { snapshotVersion, changes: this.changes() }
        const edited = { ...body, kind: detail.kind, input }
        await this.caller.send(by, `PATCH ${path}`, requests.editChangeRequest, { params, body: edited })
        return
      }
      case 'submit':
        return done(
          await this.caller.send(by, `POST ${path}/submit`, requests.submitChangeRequest, { params, body }),
          'SUBMITTED',
        )
      case 'reject': {
        const rejected = { ...body, comment: 'No' }
        return done(
          await this.caller.send(by, `POST ${path}/reject`, requests.rejectChangeRequest, {
            params,
            body: rejected,
          }),
          'REJECTED',
        )
      }
      case 'withdraw':
        return done(
          await this.caller.send(by, `POST ${path}/withdraw`, requests.withdrawChangeRequest, {
            params,
            body,
          }),
          'WITHDRAWN',
        )
      case 'unschedule':
        await this.caller.send(by, `POST ${path}/unschedule`, requests.unscheduleChangeRequest, {
          params,
          body,
        })
        return
      case 'rebase':
        await this.caller.send(by, `POST ${path}/rebase`, requests.rebaseChangeRequest, { params, body })
        return
      case 'comment': {
        const said = { text: 'Looks right' }
        return done(
          await this.caller.send(by, `POST ${path}/comments`, requests.commentChangeRequest, {
            params,
            body: said,
          }),
          'COMMENTED',
        )
      }
      case 'approve': {
        const planned = await plan()
        if (planned === null || planned.effect === null) return
        const seen = effectsSeen(detail, planned)
        await this.world.schedule.wait(random.between(10, 3_000))
        const approved = { ...body, effect: planned.effect }
        const answer = await this.caller.send(by, `POST ${path}/approve`, requests.approveChangeRequest, {
          params,
          body: approved,
        })
        const of = `${body.revision} ${planned.effect}`
        const isAgain = about.approvals.some((one) => one.by === by && one.of === of)
        if (answer === null || answer.errorCode === '0') about.approvals.push({ by, of, seen })
        // the same approval again has no entry
        return isAgain ? undefined : done(answer, 'APPROVED')
      }
      case 'schedule': {
        const from = this.now + random.between(-5_000, 20_000)
        const times = {
          notBefore: new Date(from).toISOString(),
          notAfter: new Date(from + random.between(4_000, 40_000)).toISOString(),
          timeZone: 'UTC',
        }
        const scheduled = { ...body, ...times }
        await this.caller.send(by, `POST ${path}/schedule`, requests.scheduleChangeRequest, {
          params,
          body: scheduled,
        })
        return
      }
      case 'continue':
      case 'stop':
        return this.actOnBatch(by, step, detail.batchId)
      case 'apply':
      case 'override': {
        const planned = await plan()
        if (planned === null || planned.planToken === null) return
        await this.world.schedule.wait(random.between(10, 2_000))
        about.wasTried = true
        const given = {
          ...body,
          planToken: planned.planToken,
          override: step === 'override',
          reason: 'It is needed',
        }
        await this.caller.send(by, `POST ${path}/apply`, applyChangeRequest, { params, body: given })
      }
    }
  }

  private async actOnBatch(by: PersonId, step: 'continue' | 'stop', batchId: string | null): Promise<void> {
    if (batchId === null) return
    const params = { batchId }
    if (step === 'stop') {
      await this.caller.send(by, 'POST /batches/{batchId}/stop', stopBatch, { params, body: {} })
      return
    }
    const batch = await this.caller.read(by, (context) =>
      readBatch(context, { params, query: {}, body: undefined }),
    )
    if (batch === null || batch.finishedAt !== null) return
    // the wave may have started meanwhile
    await this.world.schedule.wait(this.world.random.between(10, 3_000))
    const body = batch.waiting === undefined ? {} : { wave: batch.waiting.wave, reason: 'It is known' }
    await this.caller.send(by, 'POST /batches/{batchId}/continue', continueBatch, { params, body })
  }
}
