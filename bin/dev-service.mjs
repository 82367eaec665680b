// The service as `npm run dev` has just built it, without building the console, which Vite serves.
const { main } = await import(new URL('../dist/chorus.mjs', import.meta.url).href)
await main(process.argv.slice(2))
