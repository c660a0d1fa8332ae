import type { Edit } from './property-edit.ts'
import type { FieldId } from './field-id.ts'

/**
 * An edit as a form value. react-hook-form copies plain objects on every change, which loses their identity and keys
 * such as `__proto__`; it keeps class instances. The edit is private, because the types of field names would otherwise
 * recurse into JSON without end.
 */
export class FormEdit {
  private readonly edit: Edit

  constructor(edit: Edit) {
    this.edit = edit
  }

  read(): Edit {
    return this.edit
  }
}

/** The part of a form's values that contains properties; null is a property without an edit. */
export interface PropertyFormValues {
  edits: Record<FieldId, FormEdit | null>
}

/**
 * The edits of a form. The form is dirty if there are any: react-hook-form's own `isDirty` treats a field that is
 * mounted without a default value as a change.
 */
export function editsIn({ edits }: PropertyFormValues): Map<FieldId, Edit> {
  return new Map(Object.entries(edits).flatMap(([id, held]) => (held ? [[id, held.read()] as const] : [])))
}
