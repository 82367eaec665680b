import type { ContentMedia } from './content-parts.ts'

/** How a file is spoken of. */
export const called = ({ name }: ContentMedia) => name.trim() || 'A file'

export const typeProblems = (network: string, file: ContentMedia, mimes: readonly string[]) =>
  mimes.includes(file.mime) ? [] : [`${called(file)} is ${file.mime}; ${network} takes ${mimes.join(', ')}.`]

/** What is not known, and what nobody limits, is no problem. */
export function mostProblems(
  network: string,
  file: ContentMedia,
  value: number | undefined,
  most: number | undefined,
  say: (value: number) => string,
): string[] {
  if (value === undefined || most === undefined || value <= most) return []
  return [`${called(file)} has ${say(value)}; ${network} takes ${say(most)} at most.`]
}

// Rounded up: what is over a limit does not read like the limit.
export const megabytes = (bytes: number) => `${Math.ceil(bytes / 10_000) / 100} MB`
export const pages = (count: number) => `${count} pages`
export const pixels = (count: number) => `${count} pixels`
