import type { JsonValue } from '#contract/json-schema/json.ts'
import type { JsonTextProblem, TextPlace } from '#contract/protocol/json-text-problem.ts'
import { jsonProblemText } from '../../forms/json/parse-json.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** Why a JSON or YAML file is refused. */
export type FileProblem = JsonTextProblem | { reason: YamlReason } | { reason: 'tooManyTokens'; n: number }

type YamlReason = (typeof YAML_REASONS)[number]
const YAML_REASONS = [
  'empty',
  'notYaml',
  'indent',
  'tabIndent',
  'tag',
  'alias',
  'merge',
  'keyNotText',
  'notANumber',
  'leadingZero',
  'severalDocuments',
  'version',
] as const

export interface FileError {
  problem: FileProblem
  place: TextPlace
}

export type FileReading = { value: JsonValue; error: null } | { value: undefined; error: FileError }

/** An error with its place, as one sentence. */
export function fileErrorText({ problem, place: { line, column } }: FileError, t: Translate): string {
  return t('forms.json.problem', { line, column, problem: fileProblemText(problem, t) })
}

function fileProblemText(problem: FileProblem, t: Translate): string {
  if (problem.reason === 'tooManyTokens') return t('configuration.file.yaml.tooManyTokens', { n: problem.n })
  return isOfYaml(problem) ? t(`configuration.file.yaml.${problem.reason}`) : jsonProblemText(problem, t)
}

const isOfYaml = (problem: JsonTextProblem | { reason: YamlReason }): problem is { reason: YamlReason } =>
  YAML_REASONS.some((reason) => reason === problem.reason)
