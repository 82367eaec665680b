export const home = {
  title: 'Home',
  greeting: (name: string) => `Hello, ${name}`,
}
