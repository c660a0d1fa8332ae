import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { detach, install, publish, register, retry, save, takeOver, upgrade } from '../actions.ts'
import { bundleOf, coreOf, SECRET } from './bundle.ts'
import type { Cell } from './cells.ts'
import { checkEnd, checkFault, checkTakeover } from './check-cell.ts'
import type { BadEndpoints, CallContext } from './fault.ts'
import type { Platform } from './platform.ts'
import { createPlugin } from './plugin-server.ts'
import type { Call, PluginServer } from './plugin-server.ts'

export interface Environment {
  platform: Platform
  server: PluginServer
  endpoints: BadEndpoints
}

const SHORT_MS = 1_000
const LONG_MS = 60_000

/** One operation, on a separate installation, that meets one fault. */
export class CellRun {
  readonly cell: Cell
  readonly plugin = createPlugin()
  private readonly scope: Scope
  private readonly environment: Environment
  private readonly name: string
  private readonly hasEnded = Promise.withResolvers<void>()
  /** The operation that meets the fault, once it has called the plugin. */
  private operationId: string | null = null
  /** How often that operation called the plugin in the stage of the cell. */
  private calls = 0
  private isHealed = false

  constructor(cell: Cell, environment: Environment) {
    this.cell = cell
    this.environment = environment
    this.name = `cell-${cell.number}`
    this.scope = { environmentKey: 'prod', applicationRuntimeId: 'faults', workspaceId: cell.number + 1 }
    environment.server.serve(this.name, this.plugin, (call) => this.serve(call))
  }

  /** Returns every broken promise. */
  async run(): Promise<string[]> {
    const { cell, plugin, scope } = this
    const { platform } = this.environment
    const { time, fault, stage } = cell
    await this.register()
    const installed = await this.prepare()
    if (stage === 'BEFORE_RESOURCES' && time !== 'repeat') await this.breakEndpoint()
    const operation = await this.start(installed)
    const { operationId } = operation
    const { bundleInstallId } = operation.installation
    const [first] = await Promise.all([
      platform.watch.ended(operationId, 1),
      this.healAfter(operationId, time === 'repeat' ? 2 : 1),
    ])
    const seen = { cell, plugin, scope, platform, operationId, bundleInstallId }
    // the worker that has lost the operation records it while another one completes the operation
    if (fault.means.as === 'late')
      await platform.watch.until(operationId, 'the late response is recorded', ({ late }) => late > 0)
    const problems = await checkFault(seen)
    if (time === 'takeover') {
      const takeover = await takeOver(platform.client, { operationId, run: first.run })
      await platform.watch.ended(takeover.operationId, 1)
      this.releaseCalls()
      return [...problems, ...(await checkTakeover(seen, takeover.operationId))]
    }
    this.releaseCalls()
    if (first.state === 'FAILED') {
      await this.heal()
      await retry(platform.client, { operationId, run: first.run })
      const second = await platform.watch.ended(operationId, first.run + 1)
      if (second.state !== 'SUCCEEDED') problems.push(`a person's retry of ${stage} ended ${second.state}`)
    } else if (fault.means.as === 'failed' || time === 'always') {
      problems.push('the operation did not fail')
    }
    return [...problems, ...(await checkEnd(seen))]
  }

  /** Releases every call that is still held. */
  releaseCalls(): void {
    this.hasEnded.resolve()
  }

  /** The timeout is short for a call that should time out, and long for one that should get a response, if they differ. */
  private register(endpoint: keyof BadEndpoints | null = null): Promise<void> {
    const { fault, time } = this.cell
    const { platform, server, endpoints } = this.environment
    const isShort = fault.isSlow && ('inject' in fault.how || endpoint !== null)
    const address = endpoint === null ? server.endpoint(this.name) : endpoints[endpoint]
    return register(platform.client, this.name, address, {
      maxBackoffMs: 100,
      maxAttempts: time === 'takeover' ? 1 : time === 'always' ? 3 : 100,
      timeoutMs: isShort ? SHORT_MS : LONG_MS,
    })
  }

  /** Sets up everything before the operation that meets the fault. Returns the id of the installation. */
  private async prepare(): Promise<string | null> {
    const { client, watch } = this.environment.platform
    const { operationType } = this.cell
    await publish(client, bundleOf(this.name, '1.0.0'))
    if (operationType === 'UPGRADE') await publish(client, bundleOf(this.name, '2.0.0'))
    if (operationType === 'INSTALL') return null
    const { operationId, installation } = await this.install()
    const { state } = await watch.ended(operationId, 1)
    if (state !== 'SUCCEEDED') throw new Error(`the INSTALL before it ended ${state}`)
    return installation.bundleInstallId
  }

  private install(): Promise<Operation> {
    const properties = {
      [coreOf(this.name)]: { name: wrapData('Acme'), password: wrapSensitive(SECRET) },
    }
    const { client } = this.environment.platform
    return install(client, this.scope, bundleOf(this.name, '1.0.0'), properties)
  }

  private async start(bundleInstallId: string | null): Promise<Operation> {
    const { client } = this.environment.platform
    if (bundleInstallId === null) return this.install()
    switch (this.cell.operationType) {
      case 'INSTALL':
        throw new TypeError('an INSTALL has no installation before it')
      case 'UPGRADE':
        return upgrade(client, bundleInstallId, '2.0.0')
      case 'DETACH':
        return detach(client, bundleInstallId)
      case 'CONFIGURE': {
        const changes = { [coreOf(this.name)]: { name: wrapData('Acme and sons') } }
        const [operation] = (await save(client, this.scope, changes)) ?? []
        if (operation === undefined) throw new Error('the save started no operation')
        return operation
      }
    }
  }

  private async breakEndpoint(): Promise<void> {
    const { how } = this.cell.fault
    if ('endpoint' in how && !this.isHealed) await this.register(how.endpoint)
  }

  private async heal(): Promise<void> {
    this.isHealed = true
    if ('endpoint' in this.cell.fault.how) await this.register()
  }

  private async healAfter(operationId: string, attempts: number): Promise<void> {
    const { fault, time, stage } = this.cell
    if ('inject' in fault.how || time === 'always') return
    await this.environment.platform.watch.until(
      operationId,
      'the fault is recorded',
      ({ answered, state }) => answered[stage] >= attempts || state === 'FAILED',
    )
    await this.heal()
  }

  /** Injects the fault into the call that should meet it; otherwise responds like a correct plugin. */
  private async serve(call: Call): Promise<void> {
    const { cell } = this
    const { request } = call
    const context = this.contextOf(call)
    const { operationId, operationType } = request.operation
    if (operationType === cell.operationType) this.operationId ??= operationId
    if (operationId !== this.operationId) return context.json(context.act())
    if (request.stage !== cell.stage) {
      if (request.stage === 'BEFORE_RESOURCES' && cell.time !== 'repeat') await this.breakEndpoint()
      return context.json(context.act())
    }
    this.calls++
    const { how } = cell.fault
    if (cell.time === 'repeat' && this.calls === 1) {
      context.act()
      await this.breakEndpoint()
      context.socket.resetAndDestroy()
      return
    }
    const isMeant = cell.time === 'always' ? !this.isHealed : this.calls === (cell.time === 'repeat' ? 2 : 1)
    if (isMeant && 'inject' in how) await how.inject(context)
    else context.json(context.act())
  }

  private contextOf({ request, delivery, response }: Call): CallContext {
    const { socket } = response
    if (socket === null) throw new Error('the caller has disconnected')
    return {
      request,
      response,
      socket,
      endpoints: this.environment.endpoints,
      act: () => this.plugin.act(request, delivery),
      forget: () => this.plugin.forget(),
      json: (body) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(body))
      },
      ended: this.hasEnded.promise,
      loseLease: () => this.environment.platform.loseLease(request.operation.operationId),
    }
  }
}
