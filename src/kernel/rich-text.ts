import sanitize from 'sanitize-html'

/** Text with the little formatting people need; whatever else it holds is taken out, tags and what could act alike. */
export const cleanHtml = (text: string): string => sanitize(text, allowed).trim()

/** How long it is for who reads it. */
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
