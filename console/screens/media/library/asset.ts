import type { Body } from '../../../wire/call.ts'

export type Asset = Body<'GET /media'>['Items'][number]

export const isImage = ({ Type }: Pick<Asset, 'Type'>) => Type === 'Image' || Type === 'ImageUrl'

/** A small picture of it; films and documents have none. */
export const previewOf = (asset: Pick<Asset, 'Id' | 'Type'>) =>
  isImage(asset) ? `/app/api/media/${encodeURIComponent(asset.Id)}/preview` : undefined

/** As a clock of films shows it: 1:02. */
export function lengthOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
