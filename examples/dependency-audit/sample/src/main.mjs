import { createCart } from "fast-cart";
import { render } from "reports-pro/render";

console.log(render(createCart()));
