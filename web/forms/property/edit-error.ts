import { checkTypedValue } from '#contract/protocol/business-value.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { controlKind } from './control-kind.ts'
import type { Edit } from './edit.ts'
import { placedError } from './translate-error.ts'

/** An error in an edit, independent of language. `path` is a JSON pointer into the value, empty for the whole value. */
type EditProblem = { kind: 'required' | 'number' | 'json' } | { kind: 'value'; path: string; message: string }

/** Edits are immutable, so each is checked once against its definition. */
const checked = new WeakMap<Edit, { definition: PropertyDefinition; problem: EditProblem | null }>()

/** The error in an edit; null if it is valid. The runtime runs the same check and is authoritative. */
export function checkEdit(definition: PropertyDefinition, edit: Edit): EditProblem | null {
  const known = checked.get(edit)
  if (known?.definition === definition) return known.problem
  const problem = findProblem(definition, edit)
  checked.set(edit, { definition, problem })
  return problem
}

/** The same as a sentence in the language that is shown. */
export function editError(definition: PropertyDefinition, edit: Edit, t: Translate): string | null {
  const problem = checkEdit(definition, edit)
  if (problem === null) return null
  return problem.kind === 'value' ? placedError(problem, t) : t(`forms.problem.${problem.kind}`)
}

function findProblem(definition: PropertyDefinition, edit: Edit): EditProblem | null {
  switch (edit.kind) {
    case 'removed':
      return definition.required === true ? { kind: 'required' } : null
    case 'unfinished':
      return { kind: controlKind(definition, 'MODULE') === 'number' ? 'number' : 'json' }
    case 'set': {
      const problem = checkTypedValue(definition, edit.value)[0]
      return problem === undefined ? null : { kind: 'value', path: problem.path, message: problem.message }
    }
  }
}
