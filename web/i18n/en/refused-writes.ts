/** Why a write of a plugin was refused. */
export const refusedWrites = {
  title: 'Write permission',
  what: 'Refused write',
  'unnamed.RESOURCE': 'A property of a resource that the plugin must not write',
  'unnamed.PROPERTY_UNKNOWN': 'A property that the resource does not have; its name is not kept',
  'unnamed.PROPERTY_PROTECTED': 'The protected property',
  rule: 'Rule',
  'rule.RESOURCE_UNKNOWN': 'The resource is not part of this operation. Its name is not kept.',
  'rule.RESOURCE_NOT_AUTHORIZED': 'The authorization of {plugin} does not include this resource.',
  'rule.PROPERTY_PROTECTED': 'Only the runtime writes the protected property.',
  'rule.PROPERTY_UNKNOWN': 'The manifest does not define the property.',
  'rule.PROPERTY_NOT_AUTHORIZED':
    'The property is not among the writeProperties of {plugin} for this resource.',
  permitted: 'What it may do',
  'permitted.writes': 'writes {properties}',
  'permitted.reads': 'reads {properties}',
  nothing: 'nothing',
  writer: 'Who may write it',
  'writer.none': 'No plugin. People set it.',
  manifest: 'In the manifest',
  frozen:
    'The authorization was frozen when the operation was created; it is the same in both stages and in every retry. A corrected manifest takes effect with a new version.',
} as const
