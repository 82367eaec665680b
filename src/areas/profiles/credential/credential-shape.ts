import { z } from 'zod'
import { choice, columnsOf, datetime, flag, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { networkNames } from '#networks/manifests.ts'
import { profileIds, profileKey } from '../declarations.ts'

export const Credential = shape('Credential', {
  Id: text,
  Created: datetime,
  Name: text,
  DisplayName: text,
  Status: choice(['valid', 'invalid']),
  Network: choice(networkNames),
  ImageLink: text,
  NetworkUsername: text,
  NetworkAccountId: text,
  NativePostsEnabled: flag,
})

export const credentialColumns = columnsOf(Credential)

/** Fields that users set; columns of the row, except for the name. */
export const credentialChanges = z.object({
  id: params.pathId(profileKey),
  displayName: params.line({ min: 0 }).optional(),
  nativePostsEnabled: params.flag.optional(),
})
export type CredentialChanges = z.output<typeof credentialChanges>

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
