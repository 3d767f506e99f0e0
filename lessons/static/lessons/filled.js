// A sentence of the page's, with the {names} in it filled in.

export const filled = (sentence, values) => sentence.replace(/{(\w+)}/g, (_, name) => values[name]);
