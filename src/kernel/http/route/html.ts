/** A small page in the service's own look. The content is HTML: whatever comes from outside must be `escaped`. */
export const htmlPage = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escaped(title)} · Chorus</title>
  <style>
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
    body { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem }
    h1 { font-size: 1.5rem }
    ul { list-style: none; padding: 0 }
    label { display: flex; gap: .75rem; align-items: center; padding: .5rem 0 }
    p > input:not([type=checkbox]), select { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid #767676; border-radius: .4rem }
    .check { display: flex; gap: .75rem; align-items: center }
    [role=alert] { padding: .6rem .8rem; border-left: 4px solid #c4332b }
    img { width: 2.25rem; height: 2.25rem; border-radius: 50% }
    small { opacity: .7 }
    button { font: inherit; padding: .6rem 1.4rem; border: 0; border-radius: .5rem; background: #2456d6; color: #fff; cursor: pointer }
    a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid #7aa2ff; outline-offset: 2px }
  </style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`

export const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

const entities: { [sign: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
