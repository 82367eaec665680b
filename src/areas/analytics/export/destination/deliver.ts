import { byAzure } from './by-azure.ts'
import { byFtp } from './by-ftp.ts'
import { byMail } from './by-mail.ts'
import { byS3 } from './by-s3.ts'
import { bySftp } from './by-sftp.ts'
import type { Deliver } from './delivery.ts'
import type { DestinationType } from './destination.ts'

/** How a file gets to each type of destination. */
export const deliverers: { readonly [type in DestinationType]: Deliver } = {
  email: byMail,
  azure: byAzure,
  FTP: byFtp,
  SFTP: bySftp,
  S3_bucket: byS3,
}
