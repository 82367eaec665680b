import type { Uses } from '../connector/budget.ts'
import type { Fault, Remote } from '../connector/fault.ts'
import type { Json } from './json.ts'
import type { Part } from './multipart.ts'

export interface NetworkCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Those that are undefined are left out. */
  query?: { readonly [name: string]: string | number | undefined }
  headers?: { readonly [name: string]: string }
  json?: unknown
  form?: { readonly [name: string]: string | number | undefined }
  multipart?: { [name: string]: Part }
  bytes?: Uint8Array | { length: number; source: AsyncIterable<Uint8Array> }
  /** Its effect can neither be repeated nor taken back: without a clear answer the outcome is unknown. */
  irreversible?: boolean
  timeoutMs?: number
  /** The profile in whose name it is made; nothing for calls of the app itself. */
  holder?: string | undefined
  /** What it takes of the network's budgets beside one call. */
  uses?: Uses
}

export interface NetworkAnswer {
  status: number
  headers: Record<string, string>
  /** Nothing when it is not JSON. */
  body: Json | undefined
  text: string
}

/** What a network's answer means when it is a refusal; nothing when it is not, or when its status says enough. */
export interface Refused {
  fault: Fault
  message: string
  remote?: Remote
  /** The budget that is used up, where the refusal is about one. */
  budget?: string
}

/** The endpoint of a call: ids in its path do not make another one. */
export const endpointOf = ({ method, url }: Pick<NetworkCall, 'method' | 'url'>) =>
  `${method} ${new URL(url).pathname.replace(/\/\d{3,}([-_]\d+)?(?=\/|$)/g, '/:id')}`

export type Judge = (answer: NetworkAnswer, call: NetworkCall) => Refused | undefined

export type NetworkHttp = (call: NetworkCall) => Promise<NetworkAnswer>
