export interface ApiResponse {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
}

/** An error response in the format of the network. */
export class ApiError extends Error {
  readonly response: ApiResponse

  constructor(response: ApiResponse) {
    super(`refused with ${response.status}`)
    this.response = response
  }
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

export function html(body: string, status = 200): ApiResponse {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

export function redirect(to: string): ApiResponse {
  return { status: 302, headers: { location: to } }
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** A complete HTML page. */
export function renderPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main><p class="home"><a href="/">Sandbox networks</a></p><h1>${escapeHtml(title)}</h1>
${content}
</main></body></html>`
}

const style = `
:root { color-scheme: light dark; --line: #8884; --quiet: #888; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 1rem; }
.home, .quiet, footer { color: var(--quiet); font-size: .875rem; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 0 0 1rem; }
article p { margin: 0 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
article img, article video { max-width: 100%; max-height: 24rem; border-radius: .25rem; }
.card { display: block; border: 1px solid var(--line); border-radius: .25rem; padding: .5rem .75rem; margin: 0 0 .5rem;
  text-decoration: none; }
.replies { border-left: 2px solid var(--line); margin: .5rem 0 0; padding: 0 0 0 .75rem; }
.replies p { margin: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .375rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
`
