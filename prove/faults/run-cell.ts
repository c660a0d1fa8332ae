import type { Scope } from '#contract/protocol/scope.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { bundleOf, locatorOf, SECRET } from './bundle.ts'
import type { Cell } from './cells.ts'
import { checkEnd, checkFault, checkTakeover } from './check-cell.ts'
import type { BadPlaces, Wire } from './fault.ts'
import { PluginState } from './hostile-plugin.ts'
import type { Call, HostileServer } from './hostile-plugin.ts'
import type { Limits, Platform } from './platform.ts'

export interface Place {
  platform: Platform
  server: HostileServer
  places: BadPlaces
}

const SLOW_MS = 1_000

/** One operation on an installation of its own that meets one fault. Answers what was not as it was promised. */
export class CellRun {
  readonly cell: Cell
  readonly plugin: PluginState
  readonly scope: Scope
  private readonly place: Place
  private readonly name: string
  private readonly hasEnded = Promise.withResolvers<void>()
  private operationId: string | null = null
  private struck = 0
  private isHealed = false

  constructor(cell: Cell, place: Place) {
    this.cell = cell
    this.place = place
    this.name = `cell-${cell.number}`
    this.plugin = new PluginState(this.name)
    this.scope = { environmentKey: 'prod', applicationRuntimeId: 'faults', workspaceId: cell.number + 1 }
    place.server.serve(this.name, this.plugin, (call) => this.serve(call))
  }

  async run(): Promise<string[]> {
    const { platform } = this.place
    const { cell } = this
    const { time, fault, stage } = cell
    await this.register()
    const bundleInstallId = await this.prepare()
    if (cell.stage === 'BEFORE_RESOURCES' && time !== 'repeat') await this.breakPlace()
    const { operation, installId } = await this.start(bundleInstallId)
    const { operationId } = operation
    const [first] = await Promise.all([
      platform.watch.ended(operationId, 1),
      this.healPlaceAfter(operationId, time === 'repeat' ? 2 : 1),
    ])
    const problems: string[] = []
    const seen = { cell, run: this, platform, operationId, bundleInstallId: installId }
    problems.push(...(await checkFault(seen)))
    if (time === 'takeover') {
      const detach = await platform.takeOver(operationId, first.run)
      await platform.watch.ended(detach.operationId, 1)
      this.finish()
      return [...problems, ...(await checkTakeover({ ...seen, detachId: detach.operationId }))]
    }
    this.finish()
    if (first.state === 'FAILED') {
      await this.heal()
      await platform.retry(operationId, first.run)
      const second = await platform.watch.ended(operationId, first.run + 1)
      if (second.state !== 'SUCCEEDED') problems.push(`a person's retry of ${stage} ended ${second.state}`)
    } else if (fault.means.as === 'failed' || time === 'always') {
      problems.push('the operation did not fail')
    }
    return [...problems, ...(await checkEnd(seen))]
  }

  /** Lets go of every call that is still held. */
  finish(): void {
    this.hasEnded.resolve()
  }

  /** A call that is to time out has little time; one that is to be answered has plenty, where that can be told apart. */
  private register(place: 'good' | keyof BadPlaces = 'good'): Promise<void> {
    const { fault, time } = this.cell
    const { platform, server, places } = this.place
    const isGood = place === 'good'
    const isShort = fault.isSlow === true && !(isGood && 'place' in fault.how)
    const limits: Limits = {
      maxBackoffMs: 100,
      maxAttempts: time === 'takeover' ? 1 : time === 'always' ? 3 : 100,
      timeoutMs: isShort ? SLOW_MS : 60_000,
    }
    return platform.register(this.name, isGood ? server.endpoint(this.name) : places[place], limits)
  }

  /** Everything that has to be there before the operation that is looked at. */
  private async prepare(): Promise<string | null> {
    const { platform } = this.place
    const first = bundleOf(this.name, '1.0.0')
    await platform.publish(first)
    if (this.cell.operationType === 'UPGRADE') await platform.publish(bundleOf(this.name, '2.0.0'))
    if (this.cell.operationType === 'INSTALL') return null
    const { bundleInstallId, operation } = await this.install()
    const { state } = await platform.watch.ended(operation.operationId, 1)
    if (state !== 'SUCCEEDED') throw new Error(`the INSTALL before it ended ${state}`)
    return bundleInstallId
  }

  private install() {
    const properties = {
      [locatorOf(this.name)]: {
        name: { '@type': 'Data', value: 'Acme' },
        password: { '@type': 'Data', value: SECRET, isSensitive: true },
      },
    }
    return this.place.platform.install(this.scope, bundleOf(this.name, '1.0.0'), properties)
  }

  private async start(bundleInstallId: string | null): Promise<{ operation: Operation; installId: string }> {
    const { platform } = this.place
    if (bundleInstallId === null) {
      const { operation, bundleInstallId: installId } = await this.install()
      return { operation, installId }
    }
    const starts: Record<Exclude<OperationType, 'INSTALL'>, () => Promise<Operation>> = {
      UPGRADE: () => platform.upgrade(bundleInstallId, '2.0.0'),
      DETACH: () => platform.detach(bundleInstallId),
      CONFIGURE: () =>
        platform.save(this.scope, {
          [locatorOf(this.name)]: { name: { '@type': 'Data', value: 'Acme and sons' } },
        }),
    }
    const { operationType } = this.cell
    if (operationType === 'INSTALL') throw new TypeError('an INSTALL has no installation before it')
    return { operation: await starts[operationType](), installId: bundleInstallId }
  }

  private async breakPlace(): Promise<void> {
    const { how } = this.cell.fault
    if ('place' in how && !this.isHealed) await this.register(how.place)
  }

  private async heal(): Promise<void> {
    this.isHealed = true
    if ('place' in this.cell.fault.how) await this.register()
  }

  private async healPlaceAfter(operationId: string, attempts: number): Promise<void> {
    const { cell } = this
    if (!('place' in cell.fault.how) || cell.time === 'always') return
    await this.place.platform.watch.until(operationId, 'the fault is recorded', ({ answered, state }) => {
      return answered[cell.stage] >= attempts || state === 'FAILED'
    })
    await this.heal()
  }

  /** One call as it arrives: through the fault where it is meant for it, else as a good plugin answers. */
  private async serve({ request, delivery, response }: Call): Promise<void> {
    const { cell } = this
    const wire = this.wire({ request, delivery, response })
    const isAtWork = request.operation.operationType === cell.operationType
    if (isAtWork) this.operationId ??= request.operation.operationId
    if (request.operation.operationId !== this.operationId) return wire.json(wire.act())
    if (request.stage !== cell.stage) {
      if (request.stage === 'BEFORE_RESOURCES' && cell.time !== 'repeat') await this.breakPlace()
      return wire.json(wire.act())
    }
    this.struck++
    const { how } = cell.fault
    if (cell.time === 'repeat' && this.struck === 1) {
      wire.act()
      await this.breakPlace()
      wire.socket.resetAndDestroy()
      return
    }
    const isMeant = cell.time === 'always' ? !this.isHealed : this.struck === (cell.time === 'repeat' ? 2 : 1)
    if (isMeant && 'strike' in how) await how.strike(wire)
    else wire.json(wire.act())
  }

  private wire({ request, delivery, response }: Call): Wire {
    const { socket } = response
    if (socket === null) throw new Error('the caller is gone')
    return {
      request,
      response,
      socket,
      places: this.place.places,
      act: () => this.plugin.act(request, delivery),
      forget: () => this.plugin.forget(),
      json: (body) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(body))
      },
      ended: this.hasEnded.promise,
      loseLease: () => this.place.platform.loseLease(request.operation.operationId),
    }
  }
}
