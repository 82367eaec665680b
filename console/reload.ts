// Part of the program under `npm run dev` alone: loads the page again when it names other files.
const read = async () => (await fetch(location.href, { headers: { accept: 'text/html' } })).text()

const first = read()
setInterval(async () => {
  // While the service starts anew there is no answer, and nothing to compare.
  const [before, now] = await Promise.all([first, read().catch(() => undefined)])
  if (now !== undefined && now !== before) location.reload()
}, 1_000)
