import { createHash } from 'node:crypto'
import type * as z from 'zod'
import type { savedViewApi, SavedView } from '#contract/console-api/saved-views.ts'
import { VIEW_PAGES } from '#contract/console-api/pages/saved-views.ts'
import type { ViewPage } from '#contract/console-api/pages/saved-views.ts'
import { mayAnywhere, mayEverywhere } from '#contract/endpoint/permission.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { inTransaction } from '#database/transaction.ts'
import { knownPerson } from '../audit/recorder.ts'
import type { Origin, Recorder } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import { idOfRequest } from '../idempotent-id.ts'
import type { Person } from '../session/sessions.ts'
import {
  countViews,
  deleteView,
  findView,
  isNameTaken,
  listViews,
  lockViews,
  putView,
} from '../store/saved-views.ts'
import type { NewSavedView, SavedViewRow } from '../store/saved-views.ts'
import type { BffDb } from '../store/tables.ts'

export const OWN_VIEWS_MAX = 50
export const SHARED_VIEWS_MAX = 200

/** What a person needs to see a page. */
const PAGE_NEEDS: Record<ViewPage, Permission> = {
  operations: 'read',
  installations: 'read',
  versions: 'read',
  batches: 'read',
  audit: 'audit:read',
}

type Settings = z.output<(typeof savedViewApi)['POST /saved-views']['body']>
type Changes = z.output<(typeof savedViewApi)['PUT /saved-views/{viewId}']['body']>

export interface SavedViews {
  /** The person's own views and the shared ones, of the pages that the person may see. */
  list(person: Person): Promise<SavedView[]>
  /**
   * Creates a view. The same key creates it once and returns it again. Refuses with REQUEST_INVALID at the field, and with
   * IDEMPOTENCY_KEY_REUSED if the key was used for another request.
   */
  create(person: Person, settings: Settings, idempotencyKey: string, origin: Origin): Promise<SavedView>
  /** Refuses with NOT_FOUND, PERMISSION_DENIED, or REQUEST_INVALID at the field. */
  save(person: Person, viewId: string, changes: Changes, origin: Origin): Promise<SavedView>
  /** Refuses with NOT_FOUND or PERMISSION_DENIED. */
  remove(person: Person, viewId: string, origin: Origin): Promise<void>
}

/** The saved views of a console (docs/console.md#views). */
export function createSavedViews({
  db,
  recorder,
}: {
  db: BffDb
  recorder: Pick<Recorder, 'viewChanged' | 'refused'>
}): SavedViews {
  /** Runs a change of a view in a transaction, and records a refusal after it. */
  const change = async <Result>(
    person: Person,
    { action, origin }: { action: 'view.save' | 'view.delete'; origin: Origin },
    run: (tx: BffDb) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await inTransaction(db, async (tx) => {
        await lockViews(tx)
        return run(tx)
      })
    } catch (error) {
      if (error instanceof NotEditable) {
        const { subject, code: errorCode } = error
        const target = { scope: null, bundleInstallId: null, operationId: null }
        await recorder.refused(knownPerson(person), { action, subject, errorCode, ...target }, origin)
      }
      throw error
    }
  }

  return {
    async list(person) {
      const rows = await listViews(db, ownerOf(person), pagesOf(person))
      return rows.map((row) => viewOf(row, person))
    },
    create(person, settings, idempotencyKey, origin) {
      requirePage(person, settings.page)
      const view: NewSavedView = {
        ...ownerOf(person),
        ...columnsOf(settings),
        view_id: idOfRequest(person, idempotencyKey),
        owner_name: person.name,
        request_digest: digestOf(settings),
      }
      return inTransaction(db, async (tx) => {
        await lockViews(tx)
        const existing = await findView(tx, view.view_id)
        if (existing !== null) {
          const isSame = existing.request_digest?.equals(digestOf(settings)) ?? true
          if (!isSame) throw new ConsoleFailure('IDEMPOTENCY_KEY_REUSED', platformMessage('keyReused'))
          return viewOf(existing, person)
        }
        await checkView(tx, view)
        const row = await putView(tx, view)
        await recorder.viewChanged(
          tx,
          knownPerson(person),
          { action: 'view.create', subject: subjectOf(row) },
          origin,
        )
        return viewOf(row, person)
      })
    },
    save(person, viewId, { page, name, search, shared }, origin) {
      return change(person, { action: 'view.save', origin }, async (tx) => {
        const before = await requireEditable(tx, person, viewId)
        if (before.page !== page) throw invalidAt('page', 'Must be the page of the view')
        const view = {
          ...before,
          name: name ?? before.name,
          search: search ?? before.search,
          is_shared: shared ?? before.is_shared,
        }
        await checkView(tx, view)
        const row = await putView(tx, view)
        const renamed = before.name === row.name ? '' : ` (was “${before.name}”)`
        await recorder.viewChanged(
          tx,
          knownPerson(person),
          { action: 'view.save', subject: subjectOf(row) + renamed },
          origin,
        )
        return viewOf(row, person)
      })
    },
    remove(person, viewId, origin) {
      return change(person, { action: 'view.delete', origin }, async (tx) => {
        const row = await requireEditable(tx, person, viewId)
        await deleteView(tx, viewId)
        await recorder.viewChanged(
          tx,
          knownPerson(person),
          { action: 'view.delete', subject: subjectOf(row) },
          origin,
        )
      })
    },
  }
}

class NotEditable extends ConsoleFailure {
  readonly subject: string

  constructor(row: SavedViewRow) {
    super('PERMISSION_DENIED', platformMessage('viewNotYours'))
    this.subject = subjectOf(row)
  }
}

/** The view, if the person may change it. */
async function requireEditable(tx: BffDb, person: Person, viewId: string): Promise<SavedViewRow> {
  const row = await findView(tx, viewId)
  if (row === null || !isVisible(person, row))
    throw new ConsoleFailure('NOT_FOUND', platformMessage('notFound', { kind: 'view' }))
  if (!isEditable(person, row)) throw new NotEditable(row)
  return row
}

async function checkView(tx: BffDb, view: NewSavedView): Promise<void> {
  if (await isNameTaken(tx, view)) throw invalidAt('name', platformMessage('viewNameTaken'))
  const { own, shared } = await countViews(tx, view, view.view_id)
  if (own >= OWN_VIEWS_MAX) throw invalidAt('name', platformMessage('viewsFull', { max: OWN_VIEWS_MAX }))
  if (view.is_shared && shared >= SHARED_VIEWS_MAX)
    throw invalidAt('shared', platformMessage('sharedViewsFull', { max: SHARED_VIEWS_MAX }))
}

function invalidAt(field: string, problem: string | ReturnType<typeof platformMessage>): ConsoleFailure {
  const text = typeof problem === 'string' ? { message: problem } : problem
  return new ConsoleFailure('REQUEST_INVALID', {
    ...text,
    details: [{ path: `body.${field}`, errorCode: 'REQUEST_INVALID', ...text }],
  })
}

const digestOf = ({ page, name, search, shared }: Settings): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([page, name, search, shared]))
    .digest()

const ownerOf = ({ issuer, id }: Person) => ({ iss: issuer, sub: id })
const columnsOf = ({ page, name, search, shared }: Settings) => ({ page, name, search, is_shared: shared })
const isOwner = ({ issuer, id }: Person, row: SavedViewRow) => row.iss === issuer && row.sub === id

const pagesOf = ({ grants }: Person): ViewPage[] =>
  VIEW_PAGES.filter((page) => mayAnywhere(grants, PAGE_NEEDS[page]))

function requirePage(person: Person, page: ViewPage): void {
  const needed = PAGE_NEEDS[page]
  if (mayAnywhere(person.grants, needed)) return
  throw new ConsoleFailure(
    'PERMISSION_DENIED',
    platformMessage('permissionNeededAnywhere', { permission: needed }),
  )
}

const isVisible = (person: Person, row: SavedViewRow): boolean =>
  pagesOf(person).includes(row.page) && (row.is_shared || isOwner(person, row))

/** Only administrators hold a permission for settings of the whole console. */
const isEditable = (person: Person, row: SavedViewRow): boolean =>
  isOwner(person, row) || (row.is_shared && mayEverywhere(person.grants, 'notification:write'))

const subjectOf = ({ name, page, is_shared: isShared }: SavedViewRow): string =>
  `“${name}” (${page}${isShared ? ', shared' : ''})`

function viewOf(row: SavedViewRow, person: Person): SavedView {
  return {
    viewId: row.view_id,
    page: row.page,
    name: row.name,
    search: row.search,
    shared: row.is_shared,
    owner: { id: row.sub, name: row.owner_name },
    editable: isEditable(person, row),
    updatedAt: row.updated_at,
  }
}
