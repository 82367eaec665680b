import type { OutboundAnswer } from '../outbound/outbound.ts'
import { elementText } from '../text-parts.ts'
import type { S3Settings } from './storage-url.ts'

type Refused = Pick<OutboundAnswer, 'status' | 'body'>

/** What a store's refusal means for whoever runs the service. */
export function refusalOf(answer: Refused, { endpoint, bucket, region }: S3Settings): Error {
  const { host } = new URL(endpoint)
  const code = errorCode(answer)
  const wrongRegion = `The bucket ${bucket} at ${host} is not in the region ${region}; correct the region in the setting.`
  const sentences: Record<string, string> = {
    NoSuchBucket: `${host} has no bucket ${bucket}; make it, or correct its name in the setting.`,
    InvalidAccessKeyId: `${host} does not know the access key; correct it in the setting.`,
    SignatureDoesNotMatch: `${host} does not accept the signature; correct the secret in the setting.`,
    RequestTimeTooSkewed: `The clock of this machine differs too much from that of ${host}; set it right.`,
    AccessDenied: `${host} does not let this access key use the bucket ${bucket}; let it list, read, write and delete there.`,
    AuthorizationHeaderMalformed: wrongRegion,
    PermanentRedirect: wrongRegion,
    TemporaryRedirect: wrongRegion,
  }
  const usual: Record<number, string | undefined> = { 301: wrongRegion, 307: wrongRegion, 403: sentences.AccessDenied }
  const sentence = sentences[code] ?? usual[answer.status]
  return new Error(sentence ?? `The store of files at ${host} answered ${answer.status}${code ? ` (${code})` : ''}.`)
}

export const errorCode = ({ body }: Pick<Refused, 'body'>) => element(body.toString('utf8', 0, 4_096), 'Code') ?? ''

/** The text of the first element of this name. */
export function element(xml: string, name: string): string | undefined {
  return elementText(xml, name)?.replace(
    /&(lt|gt|quot|apos|amp|#34|#39);/g,
    (_entity, what: string) => entities[what] ?? '',
  )
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#34': '"', '#39': "'" }
