import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { breaks } from './defect.ts'
import { installs, leak, refusingWhileRunning } from './plant.ts'
import type { Parts } from '../reference-parts.ts'
import { Refusal } from '../refusal.ts'

// What is wrong with calls at once, after a crash and when a connection is lost.

/** Whether the response will be lost: its connection closes a little later than the request ends. */
async function isLost({ socket }: IncomingMessage): Promise<boolean> {
  for (let count = 0; count < 15 && !socket.destroyed; count++) await wait(10)
  return socket.destroyed
}

export const CONCURRENCY_DEFECTS = {
  'no-lock': breaks(
    'concurrent.one-effect',
    'executes identical calls at the same time',
    (parts, world) => {
      parts.once = (request, hash) => {
        const key = parts.keyOf(request)
        const found = parts.recall(key, request)
        if (found !== undefined) return found.hash === hash ? found.answer : parts.otherBytes(request)
        return parts.execute(request, { key, hash })
      }
      const { reachBackend } = parts
      parts.reachBackend = async (request) => {
        await reachBackend(request)
        await wait(15)
        if (installs(request)) leak(world, request)
      }
    },
    ['concurrent', 'repeat', 'connection', 'isolation', 'detach.while-running'],
  ),
  'refuses-in-progress-finally': breaks(
    'concurrent.two-at-once',
    'refuses a repeat permanently while the first call runs',
    refusingWhileRunning(() => true),
    ['concurrent', 'repeat', 'connection', 'crash'],
  ),
  'no-lock-in-upgrade': breaks(
    'concurrent.every-call',
    'refuses a repeat permanently while an UPGRADE runs',
    refusingWhileRunning(({ operation }) => operation.operationType === 'UPGRADE'),
    ['concurrent', 'repeat', 'connection'],
  ),
  'locks-first-stage-only': breaks(
    'concurrent.every-call',
    'lets identical calls of AFTER_RESOURCES fail each other',
    refusingWhileRunning(({ stage }) => stage === 'AFTER_RESOURCES'),
    ['concurrent', 'repeat', 'connection'],
  ),
  'one-lock-for-all': breaks(
    'concurrent.others-not-blocked',
    'lets all installations wait for each other',
    (parts) => {
      const { execute } = parts
      let last: Promise<unknown> = Promise.resolve()
      parts.execute = (request, call) => {
        const next = last.then(() => execute(request, call))
        last = next.catch(() => undefined)
        return next
      }
    },
  ),
  'one-body-at-a-time': breaks(
    'concurrent.slow-upload',
    'reads a body only when the one before has arrived',
    (parts) => {
      const { readBody } = parts
      let last: Promise<unknown> = Promise.resolve()
      parts.readBody = (incoming) => {
        const next = last.then(() => readBody(incoming))
        last = next.catch(() => undefined)
        return next
      }
    },
    ['connection', 'repeat', 'concurrent'],
  ),
  'waits-for-silence': breaks(
    'connection.silent',
    'serves nobody while a connection sends nothing',
    (parts) => {
      const { refuseHttp, readBody } = parts
      const silent = new Set<Socket>()
      let isWatched = false
      parts.refuseHttp = (incoming) => {
        // every socket of a server has it; the types of Node do not say so
        const { server } = incoming.socket as Socket & { server: Server }
        if (!isWatched) {
          server.on('connection', (socket) => {
            silent.add(socket)
            socket.once('close', () => silent.delete(socket))
          })
          server.prependListener('request', ({ socket }) => silent.delete(socket))
        }
        isWatched = true
        return refuseHttp(incoming)
      }
      parts.readBody = async (incoming) => {
        while (silent.size > 0) await wait(1)
        return readBody(incoming)
      }
    },
    ['connection', 'concurrent'],
  ),
  'shared-variable': breaks(
    'concurrent.installations',
    'keeps the request in a variable that all calls share',
    (parts) => {
      const { compose, reachBackend } = parts
      let current: LifecycleRequest | null = null
      parts.reachBackend = async (request) => {
        current = request
        await reachBackend(request)
        await wait(5)
      }
      parts.compose = (request, result) =>
        compose({ ...request, installation: (current ?? request).installation }, result)
    },
    ['concurrent', 'echo'],
  ),
  'repeat-fails-first': breaks(
    'concurrent.first-not-failed',
    'lets a repeat end the first call with a failure',
    (parts, { running }) => {
      const { once, reachBackend } = parts
      const ended = new Set<string>()
      parts.once = (request, hash) => {
        const key = parts.keyOf(request)
        if (running.has(key)) ended.add(key)
        return once(request, hash)
      }
      parts.reachBackend = async (request) => {
        await reachBackend(request)
        if (ended.delete(parts.keyOf(request)))
          throw new Refusal('SUPERSEDED', 'The call has come again', true)
      }
    },
    ['concurrent'],
  ),
  'memory-in-process': breaks(
    'restart.other-bytes',
    'keeps remembered calls in memory only',
    (parts) => {
      const calls = new Map<string, Parameters<Parts['remember']>[1]>()
      parts.recall = (key) => calls.get(key)
      parts.remember = (key, call) => calls.set(key, call)
    },
    ['restart', 'crash', 'repeat'],
  ),
  'sequence-in-process': breaks(
    'restart.late',
    'keeps sequences in memory only',
    (parts, world) => {
      const { marks } = world.state
      const { save } = world
      world.save = () => {
        world.state.marks = {}
        save()
        world.state.marks = marks
      }
      for (const id of Object.keys(marks)) delete marks[id]
      void parts
    },
    ['restart', 'late'],
  ),
  'effect-before-memory': breaks(
    'crash.install',
    'makes an object with a random name before it remembers the call',
    (parts, world) => {
      const { reachBackend } = parts
      parts.reachBackend = async (request) => {
        await reachBackend(request)
        if (!installs(request)) return
        const id = leak(world, request)
        world.save()
        await wait(60)
        delete world.state.tenants[id]
      }
    },
    ['crash'],
  ),
  'locked-after-crash': breaks(
    'crash.configure',
    'stores that a call has begun, and never gives that up',
    (parts, { state, save }) => {
      const { execute } = parts
      parts.execute = async (request, call) => {
        const begun = `begun ${call.key}`
        if (state.calls[begun] !== undefined)
          throw new Refusal('IN_PROGRESS', 'The call is in progress', true)
        state.calls[begun] = { hash: '', answer: '', bundleInstallId: '', sequence: 0 }
        save()
        try {
          await wait(20)
          return await execute(request, call)
        } finally {
          delete state.calls[begun]
        }
      }
    },
    ['crash'],
  ),
  'stops-when-lost': breaks(
    'repeat.lost-response',
    'refuses the repeat of a call whose connection closed',
    (parts) => {
      const { answer } = parts
      const lost = new Set<string>()
      parts.answer = async (incoming) => {
        const text = await answer(incoming)
        const id = /"operationId":"([^"]+)"/.exec(text)?.[1] ?? ''
        if (await isLost(incoming)) lost.add(id)
        else if (lost.has(id)) throw new Refusal('ABORTED', 'The call was aborted')
        return text
      }
    },
    ['repeat', 'connection', 'late', 'crash'],
  ),
  'remembers-when-sent': breaks(
    'repeat.lost-response',
    'remembers a response only when it has been sent, and writes nothing if nothing is left to do',
    (parts, { state }) => {
      const { answer, apply } = parts
      parts.answer = async (incoming) => {
        const text = await answer(incoming)
        if (await isLost(incoming))
          for (const [key, call] of Object.entries(state.calls))
            if (call.answer === text) delete state.calls[key]
        return text
      }
      parts.apply = (request) => {
        const tenants = structuredClone(state.tenants)
        const result = apply(request)
        return isDeepStrictEqual(tenants, state.tenants) ? { outcome: 'NOT_APPLIED', resources: {} } : result
      }
    },
    ['repeat', 'connection', 'crash'],
  ),
}
