import { randomBytes } from 'node:crypto'

interface Served {
  accountId: string
  id: string
  token: string
  name: string
}

/** 144 random bits. */
export const newToken = () => randomBytes(18).toString('base64url')

/** Where everybody can fetch an asset who was given the address; its name is there for people only. */
export const addressOf = (publicUrl: string, { accountId, id, token, name }: Served) =>
  `${publicUrl}/media/${accountId}/${id}/${token}/${encodeURIComponent(name)}`

/** Where a small picture of it is; videos have none. */
export const previewOf = (_publicUrl: string, _asset: Served & { type: string }): string | null => null
