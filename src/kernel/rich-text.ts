import sanitize from 'sanitize-html'

/** Sanitizes HTML to basic formatting; other tags and any active content are removed. */
export const cleanHtml = (text: string): string => sanitize(text, allowed).trim()

/** Length of the visible text. */
export const readableLength = (html: string): number =>
  sanitize(html, { allowedTags: [], allowedAttributes: {} })
    .replace(/&(amp|lt|gt|quot|#39);/g, 'x')
    .trim().length

const allowed: sanitize.IOptions = {
  allowedTags: ['a', 'b', 'blockquote', 'br', 'em', 'i', 'li', 'ol', 'p', 's', 'strong', 'u', 'ul'],
  allowedAttributes: { a: ['href'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
}
