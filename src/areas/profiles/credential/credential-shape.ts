import { z } from 'zod'
import { choice, columnsOf, datetime, flag, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { networkNames } from '#networks/manifests.ts'
import { profileKey } from '../declarations.ts'

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
