import { z } from 'zod'
import { linkIds } from '#areas/links/declarations.ts'
import { choice, datetime, integer, json, listOf, nullableText, optional, shape, text } from '#kernel/wire/fields.ts'
import { objectSchema, param, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { urlOrNone } from '#kernel/wire/params.ts'
import type { Payload } from '../crm/crm.ts'
import { integrationTypes } from '../crm/crms.ts'
import { leadIds } from '../declarations.ts'

const statuses = ['valid', 'invalid'] as const
const states = ['active', 'disabled'] as const

const Asset = shape(undefined, { Id: text, Name: text, DisplayName: text, Status: text, Network: text })
const Assets = shape(undefined, {
  Credentials: listOf(Asset),
  Boards: listOf(shape(undefined, { Id: text, Name: text })),
})

const fields = {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: choice(statuses),
  State: choice(states),
  AccountId: text,
  Type: text,
  Version: integer,
  CnameId: nullableText,
  /** Never contains secrets. */
  SettingsData: json,
}
export const Integration = shape('Integration', { ...fields, Assets: optional(Assets) })
export const IntegrationWithReason = shape('IntegrationWithReason', { ...fields, StatusReason: text })

export const IntegrationType = shape('IntegrationType', {
  Type: text,
  Title: text,
  Settings: listOf(text),
  Secrets: listOf(text),
  Required: listOf(text),
})

export const type = params.choice(integrationTypes)

export const integrationDraft = z.object({ type, cnameId: params.idOf(linkIds.cname, { min: 0 }).optional() })
export const integrationChanges = z.object({
  id: params.pathId(leadIds.integration),
  state: params.choice(states).optional(),
  cnameId: params.idOf(linkIds.cname, { min: 0 }).optional(),
})
export type IntegrationDraft = z.output<typeof integrationDraft>
export type IntegrationChanges = z.output<typeof integrationChanges>

const secret = params.secret({ min: 1, max: 4_000 }).optional()
const name = params.line({ min: 0, max: 80 }).optional()

/** Connection settings; omitted ones stay unchanged. */
export const integrationSettings = z.object({
  id: params.pathId(leadIds.integration),
  baseUrl: urlOrNone.optional(),
  clientId: params.line({ min: 0, max: 500 }).optional(),
  apiVersion: name,
  caseKey: name,
  pipeline: name,
  stage: name,
  clientSecret: secret,
  accessToken: secret,
  // Not every sign-in has one, so an empty value removes it.
  refreshToken: params.secret({ min: 0, max: 4_000 }).optional(),
})
export type IntegrationSettings = z.output<typeof integrationSettings>

/** An object, or JSON as a string. */
const payload = param<Payload, object | string>(objectSchema({}), (raw) => {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Payload
  const value = scalar(raw).trim()
  try {
    const read: unknown = value === '' ? {} : JSON.parse(value)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Payload
  } catch {}
  return refuse('must be an object, or its JSON as text')
})

export const integrationAction = z.object({
  id: params.idOf(leadIds.integration),
  actionName: params.line(),
  payload: payload.optional(),
})
export type IntegrationAction = z.output<typeof integrationAction>
