import { s3Calls } from '#kernel/storage/s3-client.ts'
import { upload } from '#kernel/storage/s3-store.ts'
import { type Deliver, failed, zipType } from './delivery.ts'

/** In one call, or in parts that become a file by the last one: there is never less than all of it under the name. */
export const byS3: Deliver = async ({ outbound, destination, secret, file, signal }) => {
  const { bucketName: bucket = '', path: prefix = '', region = '', endpoint = '', accessKey = '' } = destination
  const settings = { endpoint, bucket, prefix, region, accessKey, secretKey: secret, pathStyle: true }
  const stoppable = { send: (request: Parameters<typeof outbound.send>[0]) => outbound.send({ ...request, signal }) }
  try {
    await upload(
      s3Calls(settings, { outbound: stoppable }),
      { key: file.name, bytes: file.bytes, type: zipType },
      file.read(),
    )
    return {}
  } catch (error) {
    throw failed(new URL(endpoint).host, error)
  }
}
