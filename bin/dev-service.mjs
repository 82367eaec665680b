// The service as `npm run dev` has just built it, without building the console, which Vite serves.
const { main } = await import(new URL('../dist/chorus.mjs', import.meta.url).href)
// It does not outlive `npm run dev`, however that ends.
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).resume()
process.stdin.unref()
await main(process.argv.slice(2))
