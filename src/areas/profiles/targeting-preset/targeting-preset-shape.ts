import { z } from 'zod'
import { listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { profileIds, profileKey } from '../declarations.ts'

export const TargetingPreset = shape('TargetingPreset', {
  Id: text,
  CredentialId: text,
  AccountId: text,
  Name: text,
  CompanySize: listOf(text),
  Industry: listOf(text),
  Function: listOf(text),
  Seniority: listOf(text),
  Geography: listOf(text),
  Language: listOf(text),
})

const values = params.lineList({ max: 100 }).optional()
/** Fields that users set; columns of the row. */
const written = z.object({
  name: params.line(),
  companySize: values,
  industry: values,
  function: values,
  seniority: values,
  geography: values,
  language: values,
})

export const presetDraft = written.extend({ id: params.pathId(profileKey) })
export const presetChanges = written.partial().extend({ id: params.pathId(profileIds.targetingPreset) })
export type PresetDraft = z.output<typeof presetDraft>
export type PresetChanges = z.output<typeof presetChanges>
